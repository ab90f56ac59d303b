import { classNames } from "../base/class-names.ts";
import type { Tag } from "./links-api.ts";

/** TABLE of the colors that tags can have. */
const dots: Record<Tag["color"], string> = {
  red: "bg-red-500",
  yellow: "bg-amber-400",
  green: "bg-emerald-500",
  blue: "bg-blue-500",
  purple: "bg-violet-500",
  brown: "bg-amber-800",
  gray: "bg-slate-400",
  pink: "bg-pink-500",
};

/** The color of a tag, which says nothing to who does not see it: its name has to stand beside it. */
export function TagDot({ color, className }: { color: Tag["color"]; className?: string }) {
  return <span aria-hidden className={classNames("size-2 shrink-0 rounded-full", dots[color], className)} />;
}

/** A tag as it stands in a row: its color and its name, cut short where there is no room. */
export function TagChip({ tag, className }: { tag: Pick<Tag, "name" | "color">; className?: string }) {
  return (
    <span
      className={classNames(
        "inline-flex min-w-0 max-w-32 items-center gap-1.5 rounded-full border border-line bg-surface px-2 py-0.5 text-xs font-medium text-muted",
        className,
      )}
    >
      <TagDot color={tag.color} />
      <span className="truncate">{tag.name}</span>
    </span>
  );
}
