import { useState } from "react";
import { useIsAdministrator } from "../api/user.ts";
import { useTexts } from "../texts/texts.tsx";
import { CertificateStatus } from "./certificate-status.tsx";
import { compareRecords } from "./dns-comparison.ts";
import { dnsProviderOf, isDnsProvider } from "./dns-providers.ts";
import { DnsStep } from "./dns-step.tsx";
import { isLocalName } from "./domain-name.ts";
import { type DnsRecord, type DnsReport, useCertificate } from "./domain-queries.ts";
import type { Domain } from "./domain-state.ts";
import { FoundSide, Side } from "./found-records.tsx";
import { ProviderStep } from "./provider-step.tsx";
import { RecordForm } from "./record-form.tsx";

/** The steps that set up a domain, in order, each with the records to create, the records found, and its state. */
export function DnsRecords({ domain, report }: { domain: Domain; report: DnsReport }) {
  const { ownership, routing, www, zone } = report;
  const [chosen, setChosen] = useState<string>();
  const provider = chosen ?? dnsProviderOf(zone?.nameServers ?? []) ?? "";
  const isDone = ownership.matches && routing.matches;
  const choosing = isDone ? 0 : 1;
  const proving = ownership.expected === null ? 0 : 1;
  const form = { zone: zone?.name, provider: isDnsProvider(provider) ? provider : undefined };
  return (
    <>
      <ol className="grid grid-cols-1 gap-5">
        {!isDone && <ProviderStep number={1} {...{ zone, provider }} slug={report.slug} onChoose={setChosen} />}
        <OwnershipStep number={choosing + 1} {...{ form, ownership }} />
        <RoutingStep number={choosing + proving + 1} {...{ form, routing }} />
        {www !== null && <RoutingStep number={choosing + proving + 2} {...{ form, routing: www }} isOptional />}
        <CertificateStep
          number={choosing + proving + (www === null ? 2 : 3)}
          domain={domain}
          certificate={report.certificate}
          isWwwRouted={www?.matches ?? false}
        />
      </ol>
      {report.failedLookups.length > 0 && <FailedLookups report={report} />}
    </>
  );
}

type FormOf = Pick<Parameters<typeof RecordForm>[0], "zone" | "provider">;

function OwnershipStep({
  number,
  form,
  ownership,
}: {
  number: number;
  form: FormOf;
  ownership: DnsReport["ownership"];
}) {
  const { domains } = useTexts();
  const { expected, found, matches } = ownership;
  if (expected === null) return null;
  return (
    <DnsStep
      number={number}
      title={domains.ownership}
      about={domains.ownershipHint}
      state={matches ? "right" : found.length > 0 ? "wrong" : "waiting"}
    >
      <div className="grid md:grid-cols-2 md:divide-x md:divide-line">
        <Side title={matches ? domains.expected : domains.steps.create}>
          <RecordForm record={expected} {...form} />
        </Side>
        <FoundSide found={compareRecords(expected, found)} />
      </div>
      {form.provider === undefined && !matches && (
        <p className="border-t border-line px-4 py-3 text-[13px] text-faint sm:px-5">{domains.nameHint}</p>
      )}
    </DnsStep>
  );
}

type RoutingProps = { number: number; form: FormOf; routing: DnsReport["routing"]; isOptional?: boolean };

function RoutingStep({ number, form, routing, isOptional = false }: RoutingProps) {
  const { domains } = useTexts();
  const isAdministrator = useIsAdministrator();
  const { expected, found, conflicts, matches } = routing;
  const isConflict = (record: DnsRecord) =>
    conflicts.some(({ type, value }) => type === record.type && value === record.value);
  const marked = found.map((record) => ({
    record,
    as: isConflict(record) ? ("conflict" as const) : ("right" as const),
  }));
  const local = expected.find(({ value }) => isLocalName(value));
  const usable = expected.filter((record) => record !== local);
  return (
    <DnsStep
      number={number}
      title={isOptional ? domains.www(expected[0]?.name ?? "www.") : domains.routing}
      about={isOptional ? domains.wwwHint : usable.length > 1 ? domains.routingHint : undefined}
      state={matches ? "right" : conflicts.length > 0 ? "conflict" : isOptional ? undefined : "waiting"}
    >
      {local !== undefined && (
        <p className="border-b border-line bg-warning-soft px-4 py-3 text-[13px] text-warning sm:px-5">
          {domains.localTargetHint(local.value, isAdministrator)}
        </p>
      )}
      <div className="grid md:grid-cols-2 md:divide-x md:divide-line">
        <Side title={matches ? domains.expected : usable.length > 1 ? domains.steps.createOne : domains.steps.create}>
          {usable.length === 0 && <p className="text-muted">{domains.localTarget}</p>}
          <ul className="grid gap-3">
            {usable.map((record) => (
              <li key={`${record.type} ${record.value}`}>
                <RecordForm record={record} {...form} hasAddresses={usable.some(({ type }) => type !== "CNAME")} />
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
    </DnsStep>
  );
}

type CertificateProps = {
  number: number;
  domain: Domain;
  certificate: DnsReport["certificate"];
  isWwwRouted: boolean;
};

function CertificateStep({ number, domain, certificate, isWwwRouted }: CertificateProps) {
  const { domains } = useTexts();
  const { found, allowedIssuers } = certificate;
  const { data: ordered } = useCertificate(domain.slug);
  // A step whose certificate is missing is not done, although CAA records allow it.
  const isMissing = ordered !== undefined && !["off", "unverified", "valid"].includes(ordered.state);
  const state = allowedIssuers?.length === 0 ? "conflict" : isMissing ? undefined : "right";
  return (
    <DnsStep number={number} title={domains.certificate} about={domains.certificateHint} state={state}>
      <CertificateStatus domain={domain} isWwwRouted={isWwwRouted} />
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
    </DnsStep>
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
