/** Compares everything that the API and the database say about a workspace with what its editor knows. */
import { Database as SqliteFile } from "bun:sqlite";
import { join } from "node:path";
import { z } from "zod";
import type { SoakEditor } from "./soak-editor.ts";
import type { SoakRecord } from "./soak-record.ts";
import { destinationOf } from "./soaked-link.ts";

const pageSize = 100;
const pagesMax = 20;

const Links = z.array(
  z.object({
    id: z.string(),
    key: z.string(),
    domain: z.string(),
    url: z.string(),
    comments: z.string().nullable(),
    tags: z.array(z.object({ id: z.string() })),
  }),
);
const Tags = z.array(z.object({ id: z.string(), name: z.string() }));
const Domains = z.array(z.object({ slug: z.string(), notFoundUrl: z.string().nullish(), verified: z.boolean() }));

/** Compares links, tags and domains, while the editor changes nothing. */
export async function compareObjects(editor: SoakEditor, record: SoakRecord): Promise<void> {
  const { workspaceId, client } = editor;
  const listed: z.output<typeof Links> = [];
  for (let page = 1; page <= pagesMax; page++) {
    const body = await client.settle("GET", `/links?root=false&showArchived=true&pageSize=${pageSize}&page=${page}`);
    const links = Links.parse(body.body);
    listed.push(...links);
    if (links.length < pageSize) break;
  }
  const found = listed.map(({ id, key, domain, url, comments, tags }) => ({
    ...{ id, key, domain, url, comments },
    tags: tags.map((tag) => tag.id).sort(),
  }));
  const expected = editor.liveLinks.map((link) => ({
    ...{ id: link.id ?? "", key: link.key, domain: link.host, url: destinationOf(link, link.version) },
    ...{ comments: link.comments, tags: [...link.tagIds].sort() },
  }));
  requireSame(record, `the links of workspace ${workspaceId} are those of its answered calls`, found, expected);

  const tags = Tags.parse((await client.settle("GET", "/tags?pageSize=100")).body);
  const knownTags = [...editor.tags].map(([id, name]) => ({ id, name }));
  requireSame(
    record,
    `the tags of workspace ${workspaceId} are those of its answered calls`,
    tags.map(({ id, name }) => ({ id, name })),
    knownTags,
  );

  const domains = Domains.parse((await client.settle("GET", "/domains")).body);
  const shown = domains
    .filter(({ verified }) => !verified)
    .map(({ slug, notFoundUrl }) => ({ id: slug, notFoundUrl: notFoundUrl ?? null }));
  const knownDomains = [...editor.domains].map(([id, notFoundUrl]) => ({ id, notFoundUrl }));
  requireSame(record, `the domains of workspace ${workspaceId} are those of its answered calls`, shown, knownDomains);
  record.count("comparisons of all objects of a workspace");
}

function requireSame(record: SoakRecord, invariant: string, found: { id: string }[], expected: { id: string }[]): void {
  const text = (rows: { id: string }[]) => new Set(rows.map((row) => JSON.stringify(row)));
  const [foundTexts, expectedTexts] = [text(found), text(expected)];
  const unexpected = [...foundTexts].filter((row) => !expectedTexts.has(row));
  const missing = [...expectedTexts].filter((row) => !foundTexts.has(row));
  if (unexpected.length + missing.length > 0 || found.length !== expected.length) {
    record.violate(invariant, {
      found: found.length,
      expected: expected.length,
      unexpected: unexpected.slice(0, 3),
      missing: missing.slice(0, 3),
    });
  }
}

/** Compares the recorded events of each link with its answered changes, in the database of a stopped server. */
export function compareHistory(data: string, editors: readonly SoakEditor[], record: SoakRecord): void {
  const file = new SqliteFile(join(data, "waypost.sqlite"), { readonly: true });
  const rows = z.array(z.object({ objectId: z.string(), type: z.string(), count: z.int() })).parse(
    file
      .query(
        `SELECT "objectId", "type", count(*) AS "count" FROM events
           WHERE "type" IN ('link.created', 'link.updated', 'link.deleted', 'clicks.purged') GROUP BY 1, 2`,
      )
      .all(),
  );
  file.close();
  const counts = new Map(rows.map(({ objectId, type, count }) => [`${objectId} ${type}`, count]));
  const of = (id: string, type: string) => counts.get(`${id} ${type}`) ?? 0;
  for (const link of editors.flatMap(({ links }) => links)) {
    const { id, changes, state } = link;
    if (id === undefined) continue;
    const isDeleted = state !== "live";
    const found = { created: of(id, "link.created"), updated: of(id, "link.updated"), deleted: of(id, "link.deleted") };
    const updated = changes - 1 - (isDeleted ? 1 : 0);
    record.requireEqual(`the history of link ${id} is complete`, found, {
      created: 1,
      updated,
      deleted: isDeleted ? 1 : 0,
    });
    if (of(id, "clicks.purged") < link.purges.length) record.violate("each purge is in the outbox", link);
  }
}
