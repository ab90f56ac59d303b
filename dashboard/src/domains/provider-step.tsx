import { useTexts } from "../texts/texts.tsx";
import { Field, Select } from "../ui/field.tsx";
import { dnsProviderOf, dnsProviders, isDnsProvider } from "./dns-providers.ts";
import { DnsStep } from "./dns-step.tsx";
import type { DnsReport } from "./domain-queries.ts";

type ProviderStepProps = {
  number: number;
  slug: string;
  zone: DnsReport["zone"];
  /** The id of a provider; "" for another one. */
  provider: string;
  onChoose(provider: string): void;
};

/** The first step: where the records are created. The provider is recognized by its name servers, or chosen. */
export function ProviderStep({ number, slug, zone, provider, onChoose }: ProviderStepProps) {
  const { steps } = useTexts().domains;
  const recognized = dnsProviderOf(zone?.nameServers ?? []);
  const known = isDnsProvider(provider) ? dnsProviders[provider] : undefined;
  return (
    <DnsStep number={number} title={steps.provider}>
      <div className="grid gap-4 px-4 py-4 sm:grid-cols-[minmax(0,1fr)_16rem] sm:px-5">
        <div className="grid content-start gap-1">
          <p>
            {recognized === undefined
              ? steps.unrecognized(zone?.name ?? slug)
              : steps.recognized(zone?.name ?? slug, dnsProviders[recognized].name)}
          </p>
          {known !== undefined && <p className="text-muted">{steps.path(known.name, known.path.join(" → "))}</p>}
          {zone !== null && (
            <p className="break-words text-[13px] text-faint">{steps.nameServers(zone.nameServers.join(", "))}</p>
          )}
        </div>
        <Field label={steps.providerLabel}>
          <Select value={provider} onChange={(event) => onChoose(event.target.value)}>
            <option value="">{steps.otherProvider}</option>
            {Object.entries(dnsProviders).map(([id, { name }]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
      </div>
    </DnsStep>
  );
}
