import { type Filters, readFilters } from "../reports/filters.ts";

/** What an address can be about. */
export type ShareSubject = { kind: "link"; id: string } | { kind: "folder"; id: string };

/** The one link, else the one folder, that a report is filtered by; undefined for neither. */
export function subjectOf(filters: Filters): ShareSubject | undefined {
  const all = readFilters(filters);
  for (const [name, kind] of [
    ["linkId", "link"],
    ["folderId", "folder"],
  ] as const) {
    const filter = all.find((each) => each.name === name);
    const [id, ...others] = filter?.values ?? [];
    if (filter?.isExcluded === false && id !== undefined && others.length === 0) return { kind, id };
  }
  return undefined;
}
