import { useMutation, useQueryClient } from "@tanstack/react-query";
import { CircleCheck, Clock, RefreshCw, Server, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { classNames } from "../base/class-names.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Skeleton } from "../ui/states.tsx";
import { DnsRecords } from "./dns-records.tsx";
import { useMayChange } from "./domain-actions.tsx";
import { useTimeLeft } from "./domain-badge.tsx";
import { domainsKey, useDnsReport } from "./domain-queries.ts";
import { type Domain, stateOf } from "./domain-state.ts";

/** The records of a domain, expected and found, and the check of them. */
export function DnsTab({ domain }: { domain: Domain }) {
  const report = useDnsReport(domain.slug);
  return (
    <>
      <Check domain={domain} onLook={() => void report.refetch()} isLooking={report.isFetching} />
      <ErrorNote error={report.error} onRetry={() => void report.refetch()} />
      {report.isPending && <Loading />}
      {report.data && <DnsRecords report={report.data} />}
    </>
  );
}

type CheckProps = { domain: Domain; onLook(): void; isLooking: boolean };

/** What the state means, and the button that has the ownership record looked for. */
function Check({ domain, onLook, isLooking }: CheckProps) {
  const { domains, problems } = useTexts();
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  const mayChange = useMayChange(domain);
  const verification = useMutation({
    mutationFn: () => answerOf(api.POST("/domains-v2/{id}/verify", { params: { path: { id: domain.id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: domainsKey(id) }),
  });
  const found = verification.data && problems.translate(verification.data.message);
  return (
    <Standing domain={domain}>
      <div className="flex flex-wrap gap-2">
        {mayChange && !domain.instance && (
          <Button
            look={domain.verified ? "plain" : "primary"}
            isBusy={verification.isPending}
            onClick={() => verification.mutate()}
          >
            {verification.isPending ? domains.verifying : domains.verify}
          </Button>
        )}
        <Button look={mayChange && !domain.instance ? "quiet" : "plain"} onClick={onLook} disabled={isLooking}>
          <RefreshCw className={classNames(isLooking && "animate-spin")} aria-hidden />
          {domains.lookAgain}
        </Button>
      </div>
      <div role="status" className="empty:hidden">
        {verification.data && (
          <p
            lang={found === undefined ? "en" : undefined}
            className={classNames(
              "break-words rounded-lg border px-3 py-2.5",
              verification.data.success
                ? "border-success/25 bg-success-soft text-success"
                : "border-warning/25 bg-warning-soft text-warning",
            )}
          >
            {found === undefined ? verification.data.message : found + problems.stop}
          </p>
        )}
      </div>
      <ErrorNote error={verification.error} />
    </Standing>
  );
}

const looks = {
  verified: { icon: CircleCheck, ground: "bg-success-soft text-success" },
  pending: { icon: Clock, ground: "bg-sunken text-muted" },
  failing: { icon: TriangleAlert, ground: "bg-warning-soft text-warning" },
  instance: { icon: Server, ground: "bg-accent-soft text-accent" },
} as const;

function Standing({ domain, children }: { domain: Domain; children: ReactNode }) {
  const { domains } = useTexts();
  const timeLeft = useTimeLeft();
  const state = stateOf(domain, Date.now());
  const { icon: Icon, ground } = looks[state.kind];
  const told = {
    verified: [domains.verifiedTitle, domains.verifiedText],
    pending: [domains.pendingTitle, domains.pendingText],
    failing: [domains.failingTitle(state.kind === "failing" ? timeLeft(state.daysLeft) : ""), domains.failingText],
    instance: [domains.instanceTitle, domains.instanceText],
  }[state.kind];
  return (
    <Card>
      <div className="flex gap-4 p-4 sm:p-5">
        <span className={classNames("hidden size-10 shrink-0 place-items-center rounded-xl sm:grid", ground)}>
          <Icon className="size-5" aria-hidden />
        </span>
        <div className="grid min-w-0 grow gap-3">
          <div>
            <h2 className="font-semibold">{told[0]}</h2>
            <p className="max-w-prose text-muted">{told[1]}</p>
          </div>
          {children}
        </div>
      </div>
    </Card>
  );
}

function Loading() {
  return (
    <>
      {[1, 2].map((card) => (
        <Card key={card}>
          <div className="grid gap-3 p-5">
            <Skeleton className="h-4 w-48" />
            <Skeleton className="h-16" />
          </div>
        </Card>
      ))}
    </>
  );
}
