import { invalid } from "../base/problem.ts";
import { rootKey } from "../domains/domain.ts";
import {
  normalizeDestination,
  type QueryEdit,
  readUtm,
  type UtmValues,
  utmCharactersMax,
  utmFields,
  writeQuery,
} from "./destination-url.ts";
import type { LinkChanges, LinkFields, NewLink } from "./link.ts";

/** The URL of a link and its utm fields. They repeat parameters of the URL, so each change of one changes the other. */

/** A link's URL, and the utm parameters in it. */
type Destination = UtmValues & { url: string };

/** The URL of a new link with its utm fields and `ref` written in, and the utm fields read back from it. */
export function newDestination(input: NewLink, appSchemes: readonly string[]): Destination {
  const set = Object.entries(readQueryEdit(input)).filter(([, value]) => typeof value === "string");
  const url = writeQuery(normalizeDestination(input.url, "url", appSchemes), Object.fromEntries(set));
  return { url, ...readUtm(url) };
}

/**
 * The URL of a link after an update. The input's utm fields are written into it or removed from it; a new URL also
 * takes over the utm fields that the link has and the input does not name.
 */
export function changedDestination(
  before: UtmValues & { url: string; key: string },
  input: LinkChanges,
  appSchemes: readonly string[],
): Destination {
  const { url: written } = input;
  // A root link may have no destination; it has none while its domain is new.
  if (before.key === rootKey && written?.trim() === "") return { url: "", ...readUtm("") };
  const edit = readQueryEdit(input);
  if (written !== undefined) {
    for (const field of utmFields) if (edit[field] === undefined) edit[field] = before[field] ?? undefined;
  }
  const base = written === undefined ? before.url : normalizeDestination(written, "url", appSchemes);
  if (base === "") return { url: "", ...readUtm("") };
  const url = writeQuery(base, edit);
  return { url, ...readUtm(url) };
}

/** The utm fields and `ref` of an input: trimmed, "" as null. */
function readQueryEdit(input: LinkFields): QueryEdit {
  const edit: QueryEdit = {};
  for (const field of [...utmFields, "ref"] as const) {
    const value = input[field]?.trim();
    if (value !== undefined && value.length > utmCharactersMax) {
      throw invalid(field, `must have at most ${utmCharactersMax} characters.`);
    }
    if (input[field] !== undefined) edit[field] = value === undefined || value === "" ? null : value;
  }
  return edit;
}
