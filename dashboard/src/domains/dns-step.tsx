import { Check, CircleAlert, CircleCheck, Clock } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";
import { useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { Card } from "../ui/card.tsx";

/** The state of a step; absent for one that has none. */
type StepState = "right" | "wrong" | "conflict" | "waiting";

type StepProps = {
  number: number;
  title: string;
  about?: ReactNode;
  state?: StepState | undefined;
  children: ReactNode;
};

/** A numbered step of setting up a domain, as a list item. */
export function DnsStep({ number, title, about, state, children }: StepProps) {
  const { domains } = useTexts();
  const isDone = state === "right";
  return (
    <li>
      <Card
        title={
          <span className="flex items-center gap-2.5">
            <span
              aria-hidden
              className={classNames(
                "grid size-6 shrink-0 place-items-center rounded-full border text-xs tabular",
                isDone ? "border-success/25 bg-success-soft text-success" : "border-line bg-sunken text-muted",
              )}
            >
              {isDone ? <Check className="size-3.5" /> : number}
            </span>
            <span>
              <span className="sr-only">{domains.steps.number(number)} </span>
              {title}
            </span>
          </span>
        }
        about={about !== undefined && <span className="block pl-[2.125rem]">{about}</span>}
        aside={state !== undefined && <StateBadge state={state} />}
      >
        {children}
      </Card>
    </li>
  );
}

function StateBadge({ state }: { state: StepState }) {
  const { domains } = useTexts();
  switch (state) {
    case "right":
      return (
        <Badge tone="success">
          <CircleCheck aria-hidden />
          {domains.right}
        </Badge>
      );
    case "waiting":
      return (
        <Badge>
          <Clock aria-hidden />
          {domains.steps.waiting}
        </Badge>
      );
    case "wrong":
    case "conflict":
      return (
        <Badge tone="warning">
          <CircleAlert aria-hidden />
          {domains[state]}
        </Badge>
      );
  }
}
