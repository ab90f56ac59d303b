import { Ban } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Badge } from "./badge.tsx";

/** The mark of what the operator has blocked; `about` is shown under the pointer. */
export function BlockedBadge({ about, className = "" }: { about: string; className?: string }) {
  const { blocked } = useTexts().shell;
  return (
    <Badge tone="danger" title={about} className={className}>
      <Ban aria-hidden />
      <span className="truncate">{blocked.mark}</span>
    </Badge>
  );
}
