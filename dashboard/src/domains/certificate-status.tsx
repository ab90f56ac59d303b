import { RefreshCw } from "lucide-react";
import type { Texts } from "../texts/en/en.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { CertificateBadge } from "./certificate-badge.tsx";
import { useCanChange } from "./domain-actions.tsx";
import { type DomainCertificate, useCertificate, useCertificateRetry } from "./domain-queries.ts";
import type { Domain } from "./domain-state.ts";

type OfName = NonNullable<DomainCertificate["www"]>;

type CertificateStatusProps = {
  domain: Domain;
  /** True when the DNS of the domain's optional second name points here. */
  isWwwRouted: boolean;
};

/** The certificates that this service has for a domain's names; nothing when it orders none. */
export function CertificateStatus({ domain, isWwwRouted }: CertificateStatusProps) {
  const { data: certificate } = useCertificate(domain.slug);
  if (certificate === undefined) return null;
  const { slug, www, ...bare } = certificate;
  // An optional name without DNS is not waiting for anything.
  const isWwwShown = www !== null && (isWwwRouted || www.state !== "waiting");
  const names = [{ name: slug, ...bare }, ...(isWwwShown ? [www] : [])].filter(
    ({ state }) => state !== "off" && state !== "unverified",
  );
  if (names.length === 0) return null;
  return (
    <div className="grid gap-4 border-b border-line px-4 py-4 sm:px-5">
      {names.map((of) => (
        <NameStatus key={of.name} of={of} isNamed={names.length > 1} />
      ))}
      {names.some(({ problem }) => problem !== null) && <Retry domain={domain} />}
    </div>
  );
}

function NameStatus({ of, isNamed }: { of: OfName; isNamed: boolean }) {
  const { domains } = useTexts();
  const format = useFormat();
  const { name, state, notAfter, nextAttemptAt, problem } = of;
  return (
    <div className="grid gap-2">
      {isNamed && <p className="break-all font-medium">{name}</p>}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <CertificateBadge state={state} />
        {notAfter !== null && <span>{validity(state, domains)(format.day(notAfter))}</span>}
      </div>
      {/* The authority's words are English. */}
      {problem !== null && (
        <p lang="en" className="break-words text-[13px] text-muted">
          {problem}
        </p>
      )}
      {nextAttemptAt !== null && problem !== null && (
        <p className="text-[13px] text-faint">{domains.certificateNext(format.instant(nextAttemptAt))}</p>
      )}
    </div>
  );
}

function validity(state: DomainCertificate["state"], words: Texts["domains"]): (day: string) => string {
  if (state === "expired") return words.certificateExpired;
  return state === "renewalFailed" ? words.certificateStillUntil : words.certificateUntil;
}

function Retry({ domain }: { domain: Domain }) {
  const { domains } = useTexts();
  const canChange = useCanChange(domain);
  const retry = useCertificateRetry(domain.slug);
  if (!canChange) return null;
  return (
    <>
      <div>
        <Button onClick={() => retry.mutate()} disabled={retry.isPending}>
          <RefreshCw aria-hidden />
          {domains.certificateRetry}
        </Button>
      </div>
      <ErrorNote error={retry.error} />
    </>
  );
}
