import { CircleAlert, CircleCheck, CircleHelp } from "lucide-react";
import { useState } from "react";
import type { Schemas } from "../../../sdk/client.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { ListCard } from "../ui/list-card.tsx";
import { useDomainChecks } from "./domain-queries.ts";

type DomainCheck = Schemas["DomainCheck"];

/** Entries shown at first. */
const shownAtFirst = 5;

/** The past checks of a domain's ownership record, newest first. */
export function CheckHistory({ slug }: { slug: string }) {
  const { domains } = useTexts();
  const query = useDomainChecks(slug);
  const [isWhole, setIsWhole] = useState(false);
  const hidden = isWhole ? 0 : Math.max(0, (query.data?.length ?? 0) - shownAtFirst);
  const shown = { ...query, data: isWhole ? query.data : query.data?.slice(0, shownAtFirst) };
  return (
    <div className="grid gap-2">
      <ListCard
        title={domains.checks.title}
        about={domains.checks.about}
        query={shown}
        none={<p className="px-4 py-4 text-muted sm:px-5">{domains.checks.none}</p>}
      >
        {(check) => <Check key={check.id} check={check} />}
      </ListCard>
      {hidden > 0 && (
        <Button size="small" className="justify-self-start" onClick={() => setIsWhole(true)}>
          {domains.showMore}
        </Button>
      )}
    </div>
  );
}

function Check({ check }: { check: DomainCheck }) {
  const { domains } = useTexts();
  const format = useFormat();
  return (
    <li className="flex gap-3 px-4 py-3 sm:px-5">
      <Icon outcome={check.outcome} />
      <div className="grid min-w-0 grow gap-0.5">
        <p className="flex flex-wrap items-baseline justify-between gap-x-4">
          <span className="font-medium">{domains.checks.outcomes[check.outcome]}</span>
          <time dateTime={check.lastAt} className="text-xs text-faint">
            {format.instant(check.lastAt)}
          </time>
        </p>
        {check.outcome !== "found" && <Message text={check.message} />}
        {check.checks > 1 && (
          <p className="text-xs text-faint">
            {domains.checks.repeated(format.number(check.checks), format.instant(check.firstAt))}
          </p>
        )}
      </div>
    </li>
  );
}

function Message({ text }: { text: string }) {
  const { problems } = useTexts();
  const translated = problems.translate(text);
  return (
    <p lang={translated === undefined ? "en" : undefined} className="text-[13px] text-muted wrap-anywhere">
      {translated === undefined ? text : translated + problems.fullStop}
    </p>
  );
}

function Icon({ outcome }: { outcome: DomainCheck["outcome"] }) {
  if (outcome === "found") return <CircleCheck className="mt-0.5 size-4 shrink-0 text-success" aria-hidden />;
  if (outcome === "unanswered") return <CircleHelp className="mt-0.5 size-4 shrink-0 text-faint" aria-hidden />;
  return <CircleAlert className="mt-0.5 size-4 shrink-0 text-warning" aria-hidden />;
}
