import { Ban } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Badge } from "./badge.tsx";

/** Marks a link or domain that the operator has blocked; `about` is shown on hover. */
export function BlockedBadge({ about, className = "" }: { about: string; className?: string }) {
  const { blocked } = useTexts().shell;
  return (
    <Badge tone="danger" title={about} className={className}>
      <Ban aria-hidden />
      <span className="truncate">{blocked.mark}</span>
    </Badge>
  );
}
