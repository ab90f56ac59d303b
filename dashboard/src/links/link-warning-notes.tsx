import { Ban, Globe } from "lucide-react";
import { classNames } from "../base/class-names.ts";
import { useTexts } from "../texts/texts.tsx";
import { BlockReason } from "../ui/block-reason.tsx";
import type { Link } from "./links-api.ts";

/** Explains everything that keeps visitors from a link; shows nothing for working links. */
export function LinkWarningNotes({ link: { warnings = [] } }: { link: Link }) {
  const { blocked } = useTexts().shell;
  return warnings.map(({ code, cause }) => {
    const isBlocked = code === "blocked";
    const Icon = isBlocked ? Ban : Globe;
    const tone = isBlocked
      ? "border-danger/30 bg-danger-soft text-danger"
      : "border-warning/30 bg-warning-soft text-warning";
    return (
      <div key={cause} role="note" className={classNames("mb-4 flex gap-2.5 rounded-lg border px-3 py-2.5", tone)}>
        <Icon className="mt-0.5 size-4 shrink-0" aria-hidden />
        <div className="min-w-0 break-words">
          {isBlocked && <p className="font-semibold">{blocked.mark}</p>}
          {cause === "pending" && <p className="font-semibold">{blocked.notVerified}</p>}
          <p>
            {blocked.causes[cause]} {isBlocked && <BlockReason />}
          </p>
        </div>
      </div>
    );
  });
}
