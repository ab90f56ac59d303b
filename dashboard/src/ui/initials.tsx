import { classNames } from "../base/class-names.ts";
import { hueOf, initialsOf } from "./initials-of.ts";

const hues = [
  "bg-accent-soft text-accent",
  "bg-success-soft text-success",
  "bg-warning-soft text-warning",
  "bg-sunken text-muted",
];

/** Shows a person by two letters when there is no picture. */
export function Initials({ name, className }: { name: string; className?: string }) {
  return (
    <span
      aria-hidden
      className={classNames(
        "grid size-9 shrink-0 select-none place-items-center rounded-full text-[13px] font-semibold",
        hues[hueOf(name, hues.length)],
        className,
      )}
    >
      {initialsOf(name)}
    </span>
  );
}
