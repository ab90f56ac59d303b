import { CircleCheck, Clock, RefreshCw, Server, TriangleAlert } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { classNames } from "../base/class-names.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Skeleton } from "../ui/states.tsx";
import { CheckHistory } from "./check-history.tsx";
import { DnsRecords } from "./dns-records.tsx";
import { useCanChange } from "./domain-actions.tsx";
import { useTimeLeft } from "./domain-badge.tsx";
import { dnsCheckSeconds, isSetUp, useDnsReport, type Verification } from "./domain-queries.ts";
import { type Domain, stateOf } from "./domain-state.ts";

type DnsProps = { domain: Domain; verification: Verification };

/** The expected and found records of a domain, and their check. */
export function DnsTab({ domain, verification }: DnsProps) {
  const report = useDnsReport(domain.slug);
  useAutomaticVerification({ domain, verification }, report);
  return (
    <>
      <Check
        {...{ domain, verification }}
        onCheck={() => void report.refetch()}
        isChecking={report.isFetching}
        isWaiting={report.data !== undefined && !isSetUp(report.data)}
      />
      <ErrorNote error={report.error} onRetry={() => void report.refetch()} />
      {report.isPending && <Loading />}
      {report.data && <DnsRecords domain={domain} report={report.data} />}
      {domain.instance !== true && <CheckHistory slug={domain.slug} />}
    </>
  );
}

/** Verifies the domain once a report shows its record, so that nobody has to press the button. */
function useAutomaticVerification(
  { domain, verification: { mutate, isPending } }: DnsProps,
  { data: report, dataUpdatedAt }: ReturnType<typeof useDnsReport>,
): void {
  const canChange = useCanChange(domain);
  const isDue = canChange && report !== undefined && report.status !== "verified" && report.ownership.matches;
  // Once for each report: another workspace may have verified the domain before.
  const triedAt = useRef(0);
  useEffect(() => {
    if (!isDue || isPending || triedAt.current === dataUpdatedAt) return;
    triedAt.current = dataUpdatedAt;
    mutate();
  }, [isDue, isPending, dataUpdatedAt, mutate]);
}

type VerifyProps = { verification: Verification; onVerify(): void; variant: "plain" | "primary"; label?: string };

/** The button that checks DNS for the record that verifies a domain. */
export function VerifyButton({ verification: { isPending }, onVerify, variant, label }: VerifyProps) {
  const { domains } = useTexts();
  return (
    <Button variant={variant} isBusy={isPending} onClick={onVerify}>
      {isPending ? domains.verifying : (label ?? domains.verify)}
    </Button>
  );
}

type CheckProps = DnsProps & { onCheck(): void; isChecking: boolean; isWaiting: boolean };

/** Explains the state and the last check, and offers another one. */
function Check({ domain, verification, onCheck, isChecking, isWaiting }: CheckProps) {
  const { domains, problems } = useTexts();
  const canChange = useCanChange(domain);
  const found = verification.data && problems.translate(verification.data.message);
  const { kind } = stateOf(domain, Date.now());
  const checkButton = (
    <Button onClick={onCheck} disabled={isChecking}>
      <RefreshCw className={classNames(isChecking && "animate-spin")} aria-hidden />
      {domains.checkAgain}
    </Button>
  );
  const verify = (
    <VerifyButton
      variant={kind === "verified" ? "plain" : "primary"}
      label={kind === "verified" ? domains.checkAgain : domains.verify}
      verification={verification}
      onVerify={() => verification.mutate()}
    />
  );
  return (
    <StateCard domain={domain}>
      {/* Only one button: verifying also refetches all records. For a pending domain the button is at the top of the
          page. */}
      <div className="flex flex-wrap gap-2 empty:hidden">
        {!canChange || domain.instance ? checkButton : kind === "pending" ? null : verify}
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
            {found === undefined ? verification.data.message : found + problems.fullStop}
          </p>
        )}
      </div>
      <ErrorNote error={verification.error} />
      {!isWaiting ? null : (
        <p className="flex items-center gap-2 text-[13px] text-faint">
          <RefreshCw className={classNames("size-3.5 shrink-0", isChecking && "animate-spin")} aria-hidden />
          {domains.steps.automatic(dnsCheckSeconds)}
        </p>
      )}
    </StateCard>
  );
}

const styles = {
  verified: { icon: CircleCheck, ground: "bg-success-soft text-success" },
  pending: { icon: Clock, ground: "bg-sunken text-muted" },
  failing: { icon: TriangleAlert, ground: "bg-warning-soft text-warning" },
  instance: { icon: Server, ground: "bg-accent-soft text-accent" },
} as const;

function StateCard({ domain, children }: { domain: Domain; children: ReactNode }) {
  const { domains } = useTexts();
  const timeLeft = useTimeLeft();
  const state = stateOf(domain, Date.now());
  const { icon: Icon, ground } = styles[state.kind];
  const text = {
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
            <h2 className="font-semibold">{text[0]}</h2>
            <p className="max-w-prose text-muted">{text[1]}</p>
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
