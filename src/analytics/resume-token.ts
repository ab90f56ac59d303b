import { invalid } from "../base/problem.ts";

/**
 * How far a client has read live events: for each spool, by its id, the position before which it has all clicks. As
 * text it is the id of an event: `<spoolId>.<position>`, joined by commas.
 */
export type ResumeToken = ReadonlyMap<string, number>;

/** The most spools of a token: those of current and former workers. The text fits into a header field. */
const spoolsMax = 128;

const entryForm = /^([0-9a-f]{32})\.(\d{1,16})$/;

/** Formats a token, its spools in the map's order. */
export function formatResumeToken(resumeToken: ResumeToken): string {
  return Array.from(resumeToken, ([spoolId, position]) => `${spoolId}.${position}`).join(",");
}

/** Parses a token that formatResumeToken wrote. Throws "unprocessable_entity" naming `field` for any other text. */
export function parseResumeToken(field: string, text: string): Map<string, number> {
  const entries = text.split(",", spoolsMax + 1);
  const resumeToken = new Map<string, number>();
  for (const entry of entries) {
    const [, spoolId, digits] = entryForm.exec(entry) ?? [];
    const position = Number(digits);
    if (spoolId === undefined || resumeToken.has(spoolId) || !Number.isSafeInteger(position)) throw malformed(field);
    resumeToken.set(spoolId, position);
  }
  if (resumeToken.size > spoolsMax) throw malformed(field);
  return resumeToken;
}

function malformed(field: string) {
  return invalid(
    field,
    "must be an unchanged id of an event of this stream; leave it out to begin with the next click.",
  );
}
