import { Fragment } from "react";
import { useIsAdministrator } from "../api/user.ts";
import { useTexts } from "../texts/texts.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { dnsEntryOf, type ExpectedRecord } from "./dns-entry.ts";
import { type DnsProvider, type DnsProviderId, dnsProviders } from "./dns-providers.ts";

type RecordFormProps = {
  record: ExpectedRecord;
  /** The zone's name; absent while it is unknown. */
  zone: string | undefined;
  /** Absent for a provider that is not in the table. */
  provider: DnsProviderId | undefined;
  /** True when address records are offered too. */
  hasAddresses?: boolean;
};

/** A record as the provider's form wants it, with a button that copies each part. */
export function RecordForm({ record, zone, provider: providerId, hasAddresses = false }: RecordFormProps) {
  const { domains } = useTexts();
  const isAdministrator = useIsAdministrator();
  const provider: DnsProvider | undefined = providerId && dnsProviders[providerId];
  const entry = dnsEntryOf(record, zone, provider);
  if (entry.isImpossible && provider !== undefined) {
    return (
      <p className="rounded-lg border border-dashed border-line px-3 py-2.5 text-[13px] text-muted">
        {hasAddresses
          ? domains.steps.noApexAlias(provider.name, record.name)
          : domains.steps.noApexRecord(provider.name, record.name, isAdministrator)}
      </p>
    );
  }
  const parts = [
    { label: provider?.nameField ?? domains.recordName, text: entry.name, copy: domains.copyName },
    { label: provider?.valueField[record.type] ?? domains.recordValue, text: entry.value, copy: domains.copyValue },
  ];
  return (
    <>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 rounded-lg border border-line bg-sunken py-1.5 pl-3 pr-1.5">
        <dt className="text-[13px] text-muted">{domains.recordType}</dt>
        <dd className="col-span-2 py-1.5 font-mono text-[13px] font-medium">{entry.type}</dd>
        {parts.map(({ label, text, copy }) => (
          <Fragment key={label}>
            <dt className="text-[13px] text-muted">{label}</dt>
            {text === "" ? (
              <dd className="col-span-2 py-1.5 text-[13px] italic text-muted">{domains.steps.leaveEmpty}</dd>
            ) : (
              <>
                <dd className="break-all font-mono text-[13px]">{text}</dd>
                <dd>
                  <CopyButton text={text} label={copy} />
                </dd>
              </>
            )}
          </Fragment>
        ))}
        {provider?.hasProxy === true && record.type !== "TXT" && (
          <>
            <dt className="text-[13px] text-muted">Proxy status</dt>
            <dd className="col-span-2 py-1.5 text-[13px]">{domains.steps.proxyOff}</dd>
          </>
        )}
      </dl>
      {entry.isImpossible && (
        <p className="mt-2 text-[13px] text-muted">{domains.steps.apexHint(record.name, hasAddresses)}</p>
      )}
    </>
  );
}
