import { classNames } from "../base/class-names.ts";
import type { Tag } from "./links-api.ts";

/** TABLE of the classes of tag colors. */
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

/** A dot in a tag's color. Screen readers ignore it, so the tag's name must stand beside it. */
export function TagDot({ color, className }: { color: Tag["color"]; className?: string }) {
  return <span aria-hidden className={classNames("size-2 shrink-0 rounded-full", dots[color], className)} />;
}

/** A tag's color and name, truncated when there is no room. */
export function TagChip({ tag, className }: { tag: Pick<Tag, "name" | "color">; className?: string }) {
  return (
    <span
      className={classNames(
        "inline-flex min-w-0 max-w-32 items-center gap-1.5 rounded-full border border-line bg-surface px-2 py-0.5 text-xs font-medium text-muted",
        className,
      )}
    >
      <TagDot color={tag.color} />
      <span dir="auto" className="truncate">
        {tag.name}
      </span>
    </span>
  );
}
