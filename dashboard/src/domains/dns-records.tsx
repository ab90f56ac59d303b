import { CircleAlert, CircleCheck, CircleDashed } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { classNames } from "../base/class-names.ts";
import { useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { Card } from "../ui/card.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { type ComparedRecord, compareRecords } from "./dns-comparison.ts";
import { isLocalName } from "./domain-name.ts";
import type { DnsRecord, DnsReport } from "./domain-queries.ts";

type Expected = { type: string; name: string; value: string };

/** Shows the expected DNS records beside the found ones. */
export function DnsRecords({ report }: { report: DnsReport }) {
  const { domains } = useTexts();
  const { ownership, routing } = report;
  return (
    <>
      {ownership.expected !== null && (
        <Card
          title={domains.ownership}
          about={domains.ownershipHint}
          aside={<Verdict isRight={ownership.matches} otherwise={ownership.found.length > 0 ? "wrong" : undefined} />}
        >
          <Pair expected={ownership.expected} found={compareRecords(ownership.expected, ownership.found)} />
          <p className="border-t border-line px-4 py-3 text-[13px] text-faint sm:px-5">{domains.nameHint}</p>
        </Card>
      )}
      <Card
        title={domains.routing}
        about={routing.expected.length > 1 ? domains.routingHint : undefined}
        aside={<Verdict isRight={routing.matches} otherwise={routing.conflicts.length > 0 ? "conflict" : undefined} />}
      >
        <Routing routing={routing} />
      </Card>
      <Card title={domains.certificate} about={domains.certificateHint}>
        <Certificate certificate={report.certificate} />
      </Card>
      {report.failedLookups.length > 0 && <FailedLookups report={report} />}
    </>
  );
}

/** The result of a comparison as a badge. */
function Verdict({ isRight, otherwise }: { isRight: boolean; otherwise: "wrong" | "conflict" | undefined }) {
  const { domains } = useTexts();
  if (isRight) {
    return (
      <Badge tone="success">
        <CircleCheck aria-hidden />
        {domains.right}
      </Badge>
    );
  }
  return otherwise === undefined ? (
    <Badge>
      <CircleDashed aria-hidden />
      {domains.nothingFound}
    </Badge>
  ) : (
    <Badge tone="warning">
      <CircleAlert aria-hidden />
      {domains[otherwise]}
    </Badge>
  );
}

function Routing({ routing: { expected, found, conflicts } }: { routing: DnsReport["routing"] }) {
  const { domains } = useTexts();
  const isConflict = (record: DnsRecord) =>
    conflicts.some(({ type, value }) => type === record.type && value === record.value);
  const marked = found.map((record) => ({
    record,
    as: isConflict(record) ? ("conflict" as const) : ("right" as const),
  }));
  const local = expected.find(({ value }) => isLocalName(value));
  return (
    <>
      {local !== undefined && <LocalTarget target={local.value} />}
      <div className="grid md:grid-cols-2 md:divide-x md:divide-line">
        <Side title={domains.expected}>
          {expected.every((record) => record === local) && <p className="text-muted">{domains.localTarget}</p>}
          <ul className="grid gap-3">
            {expected
              .filter((record) => record !== local)
              .map((record) => (
                <li key={`${record.type} ${record.value}`}>
                  <ExpectedRecord record={record} />
                </li>
              ))}
          </ul>
        </Side>
        <FoundSide found={marked} />
      </div>
      {conflicts.length > 0 && (
        <p className="border-t border-line bg-warning-soft px-4 py-3 text-[13px] text-warning sm:px-5">
          {domains.conflictHint}
        </p>
      )}
    </>
  );
}

/** Explains that the target is a local name, for which no DNS record can work. */
function LocalTarget({ target }: { target: string }) {
  const { domains } = useTexts();
  return (
    <p className="border-b border-line bg-warning-soft px-4 py-3 text-[13px] text-warning sm:px-5">
      {domains.localTargetHint(target)}
    </p>
  );
}

function Pair({ expected, found }: { expected: Expected; found: ComparedRecord[] }) {
  const { domains } = useTexts();
  return (
    <div className="grid md:grid-cols-2 md:divide-x md:divide-line">
      <Side title={domains.expected}>
        <ExpectedRecord record={expected} />
      </Side>
      <FoundSide found={found} />
    </div>
  );
}

function Side({ title, children, className }: { title: string; children: ReactNode; className?: string }) {
  return (
    <div className={classNames("min-w-0 px-4 py-4 sm:px-5", className)}>
      <h3 className="mb-2 text-xs font-medium text-faint">{title}</h3>
      {children}
    </div>
  );
}

function ExpectedRecord({ record: { type, name, value } }: { record: Expected }) {
  const { domains } = useTexts();
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 rounded-lg border border-line bg-sunken py-1.5 pl-3 pr-1.5">
      <dt className="text-[13px] text-muted">{domains.recordType}</dt>
      <dd className="col-span-2 py-1.5 font-mono text-[13px] font-medium">{type}</dd>
      {(
        [
          [domains.recordName, name, domains.copyName],
          [domains.recordValue, value, domains.copyValue],
        ] as const
      ).map(([label, text, copy]) => (
        <Fragment key={label}>
          <dt className="text-[13px] text-muted">{label}</dt>
          <dd className="break-all font-mono text-[13px]">{text}</dd>
          <dd>
            <CopyButton text={text} label={copy} />
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

function FoundSide({ found }: { found: ComparedRecord[] }) {
  const { domains } = useTexts();
  return (
    <Side title={domains.found} className="max-md:border-t max-md:border-line">
      {found.length === 0 ? (
        <p className="text-muted">{domains.nothingFound}</p>
      ) : (
        <ul className="grid gap-3">
          {found.map(({ record, as }) => (
            <li key={`${record.type} ${record.name} ${record.value}`} className="flex gap-2.5">
              <FoundIcon as={as} />
              <div className="min-w-0">
                <p className="break-all font-mono text-[13px]">
                  <span className="font-medium">{record.type}</span> {record.value}
                </p>
                <p className="text-xs text-faint">
                  {[
                    ...(as === "right" ? [] : [domains[as]]),
                    domains.ttl(record.ttlSeconds),
                    domains.from(record.server),
                  ].join(" · ")}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Side>
  );
}

function FoundIcon({ as }: { as: ComparedRecord["as"] }) {
  const { domains } = useTexts();
  return as === "right" ? (
    <CircleCheck className="mt-0.5 size-4 shrink-0 text-success" aria-label={domains.right} />
  ) : (
    <CircleAlert className="mt-0.5 size-4 shrink-0 text-warning" aria-label={domains[as]} />
  );
}

function Certificate({ certificate: { found, allowedIssuers } }: { certificate: DnsReport["certificate"] }) {
  const { domains } = useTexts();
  return (
    <div className="grid gap-2 px-4 py-4 sm:px-5">
      <p>
        {allowedIssuers === null
          ? domains.caaNone
          : allowedIssuers.length === 0
            ? domains.caaNobody
            : domains.caaOnly(allowedIssuers.join(", "))}
      </p>
      {found.map((record) => (
        <p key={`${record.tag} ${record.value}`} className="break-all font-mono text-[13px] text-muted">
          {record.name} CAA {record.isCritical ? 128 : 0} {record.tag} "{record.value}"
        </p>
      ))}
    </div>
  );
}

function FailedLookups({ report: { failedLookups } }: { report: DnsReport }) {
  const { domains } = useTexts();
  return (
    <div className="rounded-xl border border-warning/25 bg-warning-soft px-4 py-3 text-warning sm:px-5">
      <h2 className="font-semibold">{domains.failedLookups}</h2>
      <ul className="mt-1 grid gap-1 text-[13px]">
        {failedLookups.map(({ type, name, reason }) => (
          <li key={`${type} ${name}`} className="break-words">
            {domains.failedLookup(type, name, reasonIn(domains.reasons, reason))}
          </li>
        ))}
      </ul>
    </div>
  );
}

function reasonIn(reasons: Record<string, string>, reason: string): string {
  return reasons[reason] ?? reason;
}
