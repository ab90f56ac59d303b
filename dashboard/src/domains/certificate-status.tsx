import { CircleCheck, Clock, RefreshCw, TriangleAlert } from "lucide-react";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge, type Tone } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useCanChange } from "./domain-actions.tsx";
import { type DomainCertificate, useCertificate, useCertificateRetry } from "./domain-queries.ts";
import type { Domain } from "./domain-state.ts";

type Shown = Exclude<DomainCertificate["state"], "off" | "unverified">;

const styles: Record<Shown, { tone: Tone; icon: typeof Clock }> = {
  valid: { tone: "success", icon: CircleCheck },
  ordering: { tone: "neutral", icon: Clock },
  waiting: { tone: "warning", icon: Clock },
  renewalFailed: { tone: "warning", icon: TriangleAlert },
  failed: { tone: "warning", icon: TriangleAlert },
  expired: { tone: "warning", icon: TriangleAlert },
};

/** The certificate that this service has for a domain; nothing when it orders none. */
export function CertificateStatus({ domain }: { domain: Domain }) {
  const { domains } = useTexts();
  const format = useFormat();
  const { data: certificate } = useCertificate(domain.slug);
  if (certificate === undefined || certificate.state === "off" || certificate.state === "unverified") return null;
  const { state, notAfter, nextAttemptAt, problem } = certificate;
  const { tone, icon: Icon } = styles[state];
  return (
    <div className="grid gap-3 border-b border-line px-4 py-4 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <Badge tone={tone}>
          <Icon aria-hidden />
          {domains.certificateStates[state]}
        </Badge>
        {notAfter !== null && state !== "expired" && <span>{domains.certificateUntil(format.day(notAfter))}</span>}
        {notAfter !== null && state === "expired" && <span>{domains.certificateExpired(format.day(notAfter))}</span>}
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
