import { Ban, Globe } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { BlockedBadge } from "../ui/blocked-badge.tsx";
import type { Link } from "./links-api.ts";

/** That the operator has blocked a link, or else that its domain is not verified; nothing for links that work. */
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

/** Everything that keeps visitors from a link, in sentences; nothing for links that work. */
export function LinkWarningNotes({ link: { warnings = [] } }: { link: Link }) {
  const { blocked } = useTexts().shell;
  return warnings.map(({ code, cause }) => (
    <div
      key={cause}
      role="note"
      className={
        code === "blocked"
          ? "mb-4 flex gap-2.5 rounded-lg border border-danger/30 bg-danger-soft px-3 py-2.5 text-danger"
          : "mb-4 flex gap-2.5 rounded-lg border border-warning/30 bg-warning-soft px-3 py-2.5 text-warning"
      }
    >
      {code === "blocked" ? (
        <Ban className="mt-0.5 size-4 shrink-0" aria-hidden />
      ) : (
        <Globe className="mt-0.5 size-4 shrink-0" aria-hidden />
      )}
      <div className="min-w-0 break-words">
        {code === "blocked" && <p className="font-semibold">{blocked.mark}</p>}
        {cause === "pending" && <p className="font-semibold">{blocked.notVerified}</p>}
        <p>{blocked.causes[cause]}</p>
      </div>
    </div>
  ));
}
