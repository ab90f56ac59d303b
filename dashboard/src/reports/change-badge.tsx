import { ArrowDownRight, ArrowUpRight } from "lucide-react";
import { classNames } from "../base/class-names.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { changeOf } from "./change.ts";

const styles = {
  up: "bg-success-soft text-success",
  down: "bg-danger-soft text-danger",
  same: "bg-sunken text-muted",
  new: "bg-success-soft text-success",
};

/** The change of a number since the compared period, which is named in words. */
export function ChangeBadge({ now, before, period }: { now: number; before: number; period: string }) {
  const { analytics } = useTexts();
  const format = useFormat();
  const change = changeOf(now, before);
  const text =
    change.kind === "new"
      ? analytics.newChange
      : change.kind === "same"
        ? format.percent(0)
        : format.change(change.part);
  return (
    <span
      title={period}
      className={classNames(
        "inline-flex items-center gap-0.5 rounded-full px-1.5 py-0.5 text-xs font-medium tabular [&_svg]:size-3",
        styles[change.kind],
      )}
    >
      {change.kind === "up" && <ArrowUpRight aria-hidden />}
      {change.kind === "down" && <ArrowDownRight aria-hidden />}
      <span aria-hidden>{text}</span>
      <span className="sr-only">{analytics.changeSpoken(text, format.number(before), period)}</span>
    </span>
  );
}
