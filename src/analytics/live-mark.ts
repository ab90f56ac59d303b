import { invalid } from "../base/problem.ts";

/**
 * How far a reader of live events has come: for each spool, by its id, the position before which it has had everything.
 * As text it is the id of an event: `<spoolId>.<position>`, joined by commas.
 */
export type Mark = ReadonlyMap<string, number>;

/** Spools of a mark: every worker's and those that workers of before have left. Their text fits into a header field. */
const markSpoolsMax = 128;

const entryForm = /^([0-9a-f]{32})\.(\d{1,16})$/;

/** The mark as text, its spools in the map's order. */
export function writeMark(mark: Mark): string {
  return Array.from(mark, ([spoolId, position]) => `${spoolId}.${position}`).join(",");
}

/** Reads what writeMark wrote. Throws "unprocessable_entity" naming `field` for anything else. */
export function readMark(field: string, text: string): Map<string, number> {
  const entries = text.split(",", markSpoolsMax + 1);
  const mark = new Map<string, number>();
  for (const entry of entries) {
    const [, spoolId, digits] = entryForm.exec(entry) ?? [];
    const position = Number(digits);
    if (spoolId === undefined || mark.has(spoolId) || !Number.isSafeInteger(position)) throw unreadable(field);
    mark.set(spoolId, position);
  }
  if (mark.size > markSpoolsMax) throw unreadable(field);
  return mark;
}

function unreadable(field: string) {
  return invalid(
    field,
    "must be the id of an event of this stream as it came; leave it out to begin with what comes now.",
  );
}
