import { RefreshCw } from "lucide-react";
import type { Texts } from "../texts/en/en.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { CertificateBadge } from "./certificate-badge.tsx";
import { useCanChange } from "./domain-actions.tsx";
import { type DomainCertificate, useCertificate, useCertificateRetry } from "./domain-queries.ts";
import type { Domain } from "./domain-state.ts";

/** The certificate that this service has for a domain; nothing when it orders none. */
export function CertificateStatus({ domain }: { domain: Domain }) {
  const { domains } = useTexts();
  const format = useFormat();
  const { data: certificate } = useCertificate(domain.slug);
  if (certificate === undefined || certificate.state === "off" || certificate.state === "unverified") return null;
  const { state, notAfter, nextAttemptAt, problem } = certificate;
  return (
    <div className="grid gap-3 border-b border-line px-4 py-4 sm:px-5">
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
      {problem !== null && <Retry domain={domain} />}
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
