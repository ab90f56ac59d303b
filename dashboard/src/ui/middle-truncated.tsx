import { classNames } from "../base/class-names.ts";
import { splitEnd } from "../base/split-end.ts";

/** A text in one line. Without room for all of it, its middle is left out, so that its end stays visible. */
export function MiddleTruncated({ text, className }: { text: string; className?: string }) {
  const { start, end } = splitEnd(text);
  if (end === "") return <span className={classNames("min-w-0 truncate", className)}>{start}</span>;
  return (
    <span className={classNames("flex min-w-0", className)}>
      <span className="min-w-0 truncate">{start}</span>
      <span className="shrink-0 whitespace-pre">{end}</span>
    </span>
  );
}
