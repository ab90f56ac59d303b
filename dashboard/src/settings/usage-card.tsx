import { useQuery } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { classNames } from "../base/class-names.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Card } from "../ui/card.tsx";

type Limits = Schemas["WorkspaceLimits"];
const counted = ["links", "domains", "members", "apiKeys"] as const;
/** The share of a limit from which its bar warns. */
const nearlyFull = 0.9;

/** What the workspace has of everything that is limited; nothing in a workspace without limits. */
export function UsageCard() {
  const { api, id } = useWorkspace();
  const { settings } = useTexts();
  const { data } = useQuery({
    queryKey: [id, "settings", "limits"],
    queryFn: () => answerOf(api.GET("/workspaces/{workspaceId}/limits", { params: { path: { workspaceId: id } } })),
  });
  if (data === undefined || Object.values(data).every(({ max }) => max === null)) return null;
  return (
    <Card title={settings.limits.title} about={settings.limits.about}>
      <dl className="grid gap-x-8 gap-y-4 p-4 sm:grid-cols-2 sm:p-5">
        <Rows limits={data} />
      </dl>
    </Card>
  );
}

function Rows({ limits }: { limits: Limits }) {
  const { settings } = useTexts();
  const format = useFormat();
  const { max: days } = limits.clickRetentionDays;
  return (
    <>
      {counted.map((name) => (
        <Row key={name} label={settings.limits[name]} {...limits[name]} />
      ))}
      {days !== null && (
        <div className="flex items-baseline justify-between gap-4">
          <dt className="font-medium">{settings.limits.clickRetentionDays}</dt>
          <dd className="text-muted tabular">{settings.days(days, format.number(days))}</dd>
        </div>
      )}
    </>
  );
}

function Row({ label, used, max }: { label: string; used: number; max: number | null }) {
  const { settings } = useTexts();
  const format = useFormat();
  if (max === null) return null;
  const share = Math.min(1, used / max);
  return (
    <div className="grid gap-1.5">
      <div className="flex items-baseline justify-between gap-4">
        <dt className="font-medium">{label}</dt>
        <dd className="text-muted tabular">{settings.limits.used(format.number(used), format.number(max))}</dd>
      </div>
      <div aria-hidden className="h-1.5 overflow-hidden rounded-full bg-sunken">
        <div
          className={classNames("h-full rounded-full", share >= nearlyFull ? "bg-warning" : "bg-accent")}
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </div>
  );
}
