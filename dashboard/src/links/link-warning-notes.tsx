import { Ban, Globe } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import type { Link } from "./links-api.ts";

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
