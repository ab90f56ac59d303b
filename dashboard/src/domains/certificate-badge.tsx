import { CircleCheck, Clock, TriangleAlert } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Badge, type Tone } from "../ui/badge.tsx";
import type { DomainCertificate } from "./domain-queries.ts";

/** The states in which a domain has a certificate, or waits for one. */
type ShownState = Exclude<DomainCertificate["state"], "off" | "unverified">;

const styles: Record<ShownState, { tone: Tone; icon: typeof Clock }> = {
  valid: { tone: "success", icon: CircleCheck },
  ordering: { tone: "neutral", icon: Clock },
  waiting: { tone: "warning", icon: Clock },
  renewalFailed: { tone: "warning", icon: TriangleAlert },
  failed: { tone: "warning", icon: TriangleAlert },
  expired: { tone: "danger", icon: TriangleAlert },
};

/** The state of a domain's certificate as a badge; nothing when this service orders none. */
export function CertificateBadge({ state }: { state: DomainCertificate["state"] | undefined }) {
  const { domains } = useTexts();
  if (state === undefined || state === "off" || state === "unverified") return null;
  const { tone, icon: Icon } = styles[state];
  return (
    <Badge tone={tone}>
      <Icon aria-hidden />
      {domains.certificateStates[state]}
    </Badge>
  );
}
