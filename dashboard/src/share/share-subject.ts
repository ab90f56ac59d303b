import { type Filters, readFilters } from "../reports/filters.ts";

/** What a share shows. */
export type ShareSubject = { kind: "link"; id: string } | { kind: "folder"; id: string };

/** The single link, else the single folder, that a report is filtered by; undefined for neither. */
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
