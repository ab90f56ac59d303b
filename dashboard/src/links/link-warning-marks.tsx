import { Globe } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { BlockedBadge } from "../ui/blocked-badge.tsx";
import type { Link } from "./links-api.ts";

/** The warning of a link that its badge shows: a block, or else a pending domain. */
export function badgeWarning({ warnings = [] }: Link) {
  return warnings.find(({ code }) => code === "blocked") ?? warnings.find(({ cause }) => cause === "pending");
}

/** Shows that the operator has blocked a link, or else that its domain is not verified; nothing for working links. */
export function LinkWarningBadge({ link }: { link: Link }) {
  const { blocked } = useTexts().shell;
  const warning = badgeWarning(link);
  if (warning === undefined) return null;
  const about = blocked.causes[warning.cause];
  if (warning.code === "blocked") {
    return <BlockedBadge about={about} className="max-w-[calc(100%-1.5rem)] shrink-0 py-0" />;
  }
  return (
    <Badge tone="warning" title={about} className="max-w-[calc(100%-1.5rem)] shrink-0 py-0">
      <Globe aria-hidden />
      <span className="truncate">{blocked.notVerified}</span>
    </Badge>
  );
}
