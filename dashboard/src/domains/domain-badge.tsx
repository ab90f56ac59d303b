import { CircleCheck, Clock, Server, TriangleAlert } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Badge, type Tone } from "../ui/badge.tsx";
import type { DomainState } from "./domain-state.ts";

const styles: Record<DomainState["kind"], { tone: Tone; icon: typeof Clock }> = {
  verified: { tone: "success", icon: CircleCheck },
  pending: { tone: "neutral", icon: Clock },
  failing: { tone: "warning", icon: TriangleAlert },
  instance: { tone: "accent", icon: Server },
};

/** The state of a domain as a badge. */
export function DomainBadge({ state: { kind } }: { state: DomainState }) {
  const { domains } = useTexts();
  const { tone, icon: Icon } = styles[kind];
  return (
    <Badge tone={tone}>
      <Icon aria-hidden />
      {domains.states[kind]}
    </Badge>
  );
}

/** Returns a function that describes how long the links of a failing domain still work. */
export function useTimeLeft(): (daysLeft: number) => string {
  const { domains } = useTexts();
  return (daysLeft) => (daysLeft === 0 ? domains.lessThanADay : domains.daysLeft(daysLeft));
}
