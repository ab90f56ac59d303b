import { classNames } from "../base/class-names.ts";

/** Hosts up to this length are never cut; a longer one is wider than its smallest width, so that no gap follows it. */
const wholeCharactersMax = 12;

/** The host of a short link in one line. It is cut before the key, but stays long enough to recognize. */
export function HostText({ host, className }: { host: string; className?: string }) {
  const isWhole = host.length <= wholeCharactersMax;
  return <span className={classNames(isWhole ? "shrink-0" : "min-w-20 shrink-[999] truncate", className)}>{host}</span>;
}
