import type { Actor } from "../access/actor.ts";
import { invalid, notFound } from "../base/problem.ts";
import type { Filter } from "../clicks/query.ts";
import type { Db } from "../database/database.ts";
import { prepared, type Slot } from "../database/prepared.ts";
import { findDomainForFilter } from "../domains/domains.ts";
import { externalIdOf } from "../links/external-id.ts";
import { findNamedLink, linksOf } from "../links/find-links.ts";
import { knownLinkIds } from "../links/link-history.ts";
import type { LinkQueries } from "../links/link-queries.ts";
import { type LinkSet, linkIdsOf, linkSetMax } from "../links/link-set.ts";
import { parseList, type ValueList } from "./filters.ts";

/**
 * Resolves the parameters that name links and domains into filters of clicks.
 *
 * 1. Clicks have only the ids of their link and domain. The relational database tells which links a folder or tag
 *    contains now, and the store gets their ids; the two are never joined.
 * 2. Each parameter narrows the result. Each named object must exist: an unknown or foreign link, domain, folder or tag
 *    is "not_found", also in a list and in an exclusion. The id of a deleted link is valid.
 * 3. The sets of links of all parameters together have at most linkSetMax links, since every query sends them to the store.
 */

/** TABLE of the parameters that take a list: values separated by commas, excluded after a leading hyphen. */
const listNames = [
  ...(["linkId", "domain", "folderId", "tagId", "tenantId", "partnerId", "programId"] as const),
  // Waypost has none of these three: a value selects no click, and its exclusion selects all.
  ...(["customerId", "groupId", "partnerTagId"] as const),
];
type ListName = (typeof listNames)[number];
/** The plural of a parameter's name: `linkIds`. */
export type PluralScopeName = `${ListName}s`;

/** The plural names. `linkIds` means the same as `linkId`. */
export const pluralScopeNames = listNames.map((name): PluralScopeName => `${name}s`);

/** The parameters; externalId names one link, and so do domain and key together. */
export type ScopeInput = { [Name in ListName | PluralScopeName | "externalId" | "key"]?: string | undefined };

/** Picks the parameters that name links or domains. */
export function scopeInputOf(question: ScopeInput): ScopeInput {
  const names = ["externalId", "key", ...listNames, ...pluralScopeNames] as const;
  return Object.fromEntries(names.map((name) => [name, question[name]]));
}

/** The database, and the turns in which sets of links are read from it; without turns, nobody else waits for it. */
export type ScopeDeps = { db: Db; linkQueries?: Pick<LinkQueries, "run"> };

/** The named links and domains as filters; none for the whole workspace. */
export async function findScope(deps: ScopeDeps, actor: Actor, named: ScopeInput): Promise<Filter[]> {
  const { db } = deps;
  for (const [field, value] of Object.entries(named)) {
    if (value === "") throw invalid(field, "must not be empty; leave it out to include all.");
  }
  const input = withSingularNames(named);
  const filters: Filter[] = unsupportedFilters(input);
  if (input.linkId !== undefined) filters.push(await linkFilter(db, actor, parseList("linkId", input.linkId)));
  if (input.externalId !== undefined) {
    const { id } = await findNamedLink({ db }, actor, { externalId: input.externalId });
    filters.push({ dimension: "linkId", values: [id], isExcluded: false });
  }
  filters.push(...(await domainFilters(db, actor, input)));
  let linksMax = linkSetMax;
  for (const { field, by } of linkSets) {
    const text = input[field];
    if (text === undefined) continue;
    const filter = await setFilter(deps, actor, { field, by, linksMax }, parseList(field, text));
    linksMax -= filter.values.length;
    filters.push(filter);
  }
  return filters;
}

function withSingularNames(named: ScopeInput): ScopeInput {
  const input = { ...named };
  for (const name of listNames) {
    const plural: PluralScopeName = `${name}s`;
    if (named[plural] === undefined) continue;
    if (named[name] !== undefined) throw invalid(plural, `means the same as ${name}; send only one of them.`);
    input[name] = named[plural];
  }
  return input;
}

/** TABLE of the parameters that name links by a property. */
const linkSets = [
  { field: "folderId", by: "folderId" },
  { field: "tagId", by: "tagId" },
  { field: "tenantId", by: "tenantId" },
  { field: "partnerId", by: "partnerId" },
  { field: "programId", by: "programId" },
] as const satisfies readonly { field: keyof ScopeInput; by: LinkSet["by"] }[];

function unsupportedFilters(input: ScopeInput): Filter[] {
  return (["customerId", "groupId", "partnerTagId"] as const).flatMap((field): Filter[] => {
    const text = input[field];
    if (text === undefined) return [];
    return [{ dimension: "linkId", values: [], isExcluded: parseList(field, text).isExcluded }];
  });
}

/**
 * A link keeps its clicks when its domain or key changes, so the id alone identifies them. An id may name a deleted
 * link, whose clicks are kept; an externalId may not, because another link may use it now.
 */
async function linkFilter(db: Db, actor: Actor, { values, isExcluded }: ValueList): Promise<Filter> {
  const ids = values.filter((value) => externalIdOf(value) === undefined);
  const externalIds = values.flatMap((value) => externalIdOf(value) ?? []);
  const [first] = ids;
  const links =
    first !== undefined && values.length === 1
      ? await selectNames(db, { workspaceId: actor.workspaceId, id: first })
      : await linkNames(db, actor.workspaceId)
          .where((where) =>
            where.or([
              ...(ids.length === 0 ? [] : [where("links.id", "in", ids)]),
              ...(externalIds.length === 0 ? [] : [where("links.externalId", "in", externalIds)]),
            ]),
          )
          .execute();
  const known = new Set(
    links.flatMap(({ id, externalId }) => (externalId === null ? [id] : [id, `ext_${externalId}`])),
  );
  const missing = values.filter((value) => !known.has(value));
  const deleted = await knownLinkIds(db, actor.workspaceId, missing);
  if (deleted.size < new Set(missing).size) throw notFound("link");
  return { dimension: "linkId", values: [...links.map(({ id }) => id), ...deleted], isExcluded };
}

function linkNames(db: Db, workspaceId: number) {
  return linksOf(db, workspaceId).clearSelect().select(["links.id", "links.externalId"]);
}

/** Prepared: most reports are about one link. */
const selectNames = prepared((db, value: Slot<{ workspaceId: number; id: string }>) =>
  linkNames(db, value("workspaceId")).where("links.id", "=", value("id")),
);

/** The named domains, or with a key the one link. */
async function domainFilters(db: Db, actor: Actor, { linkId, externalId, domain, key }: ScopeInput): Promise<Filter[]> {
  if (domain === undefined) {
    if (key === undefined || linkId !== undefined || externalId !== undefined) return [];
    throw invalid("key", "requires domain, because each domain has its own keys.");
  }
  if (key !== undefined) {
    const { id } = await findNamedLink({ db }, actor, { domain, key });
    return [{ dimension: "linkId", values: [id], isExcluded: false }];
  }
  const { values: slugs, isExcluded } = parseList("domain", domain);
  const ids: string[] = [];
  // By id, because slugs change: those of domains, and with WAYPOST_URL that of the instance's domain.
  for (const slug of slugs) ids.push((await findDomainForFilter(db, actor.workspaceId, slug)).id);
  return [{ dimension: "domainId", values: ids, isExcluded }];
}

type SetField = { field: string; by: LinkSet["by"]; linksMax: number };

async function setFilter(
  { db, linkQueries }: ScopeDeps,
  actor: Actor,
  { field, by, linksMax }: SetField,
  { values, isExcluded }: ValueList,
): Promise<Filter> {
  if (by === "folderId" || by === "tagId") await requireAll(db, actor, by === "tagId" ? "tags" : "folders", values);
  const read = (reads: Db) => linkIdsOf(reads, actor.workspaceId, { by, values }, linksMax);
  const ids = linkQueries === undefined ? await read(db) : await linkQueries.run(actor.workspaceId, read);
  if (ids === undefined) {
    throw linksMax === linkSetMax
      ? invalid(field, `must match at most ${linkSetMax} links; choose fewer of them.`)
      : invalid(field, `must match at most ${linkSetMax} links together with the other filters; choose fewer of them.`);
  }
  return { dimension: "linkId", values: ids, isExcluded };
}

async function requireAll(db: Db, actor: Actor, table: "tags" | "folders", ids: readonly string[]): Promise<void> {
  const rows = await db
    .selectFrom(table)
    .select("id")
    .where("workspaceId", "=", actor.workspaceId)
    .where("id", "in", ids)
    .execute();
  if (rows.length < new Set(ids).size) throw notFound(table === "tags" ? "tag" : "folder");
}
