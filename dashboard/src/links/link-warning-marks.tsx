import { Globe } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { BlockedBadge } from "../ui/blocked-badge.tsx";
import type { Link } from "./links-api.ts";

/** Shows that the operator has blocked a link, or else that its domain is not verified; nothing for working links. */
export function LinkWarningBadge({ link: { warnings = [] } }: { link: Link }) {
  const { blocked } = useTexts().shell;
  const block = warnings.find(({ code }) => code === "blocked");
  if (block !== undefined)
    return <BlockedBadge about={blocked.causes[block.cause]} className="max-w-[calc(100%-1.5rem)] shrink-0 py-0" />;
  if (!warnings.some(({ cause }) => cause === "pending")) return null;
  return (
    <Badge tone="warning" title={blocked.causes.pending} className="max-w-[calc(100%-1.5rem)] shrink-0 py-0">
      <Globe aria-hidden />
      <span className="truncate">{blocked.notVerified}</span>
    </Badge>
  );
}
