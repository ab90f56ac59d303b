import { sql } from "kysely";
import { type Blocks, blocksAt, blocksRevision, currentBlocks } from "../access/blocks.ts";
import { visitorWaitMaxMs, withTimeout } from "../database/availability.ts";
import type { Db } from "../database/database.ts";
import {
  chooseDomain,
  domainColumns,
  hasForwarding,
  hasLogo,
  isDeletedKey,
  type Lookup,
  linkColumns,
  noPreview,
  previewColumns,
  redirectDomain,
  redirectLink,
} from "./lookup.ts";

/** Lookups that query PostgreSQL each time; used until the node's copy of the links is complete. */
export function openPostgresLookup(db: Db): Lookup {
  /** Limits how long a visitor waits for an unresponsive server. */
  const readBlocks = async (revision: string): Promise<Blocks> => await inTime(blocksAt(db, revision));
  return {
    async domain(host) {
      const rows = await inTime(
        db
          .selectFrom("domains")
          .select(domainColumns)
          .select(sql<boolean | null>`${sql.raw(hasLogo)}`.as("hasLogo"))
          .select(sql<boolean>`${sql.raw(hasForwarding)}`.as("hasForwarding"))
          .select(revision.as("revision"))
          .where("slug", "=", host)
          .where("workspaceId", "not in", deleted(db))
          .execute(),
      );
      const [first] = rows;
      const row = chooseDomain(rows.map(({ revision: _, ...domain }) => domain));
      if (first === undefined || row === undefined) return undefined;
      return redirectDomain(row, await readBlocks(first.revision));
    },
    async link(domainId, foldedKey) {
      const row = await inTime(
        db
          .selectFrom("links")
          .select(linkColumns)
          .select(revision.as("revision"))
          .where("domainId", "=", domainId)
          .where("foldedKey", "=", foldedKey)
          .where("workspaceId", "not in", deleted(db))
          .executeTakeFirst(),
      );
      return row === undefined ? undefined : redirectLink(row, await readBlocks(row.revision));
    },
    async isDeleted(domainId, foldedKey) {
      const isDeleted = sql.raw<boolean>(isDeletedKey("place.domain", "place.key"));
      const { rows } = await inTime(
        sql<{ isDeleted: boolean }>`
          SELECT ${isDeleted} AS "isDeleted"
          FROM (SELECT ${domainId}::text AS domain, ${foldedKey}::text COLLATE "C" AS key) AS place
        `.execute(db),
      );
      return rows[0]?.isDeleted === true;
    },
    async forwardingLink(domainId, foldedKeys) {
      const rows = await inTime(
        db
          .selectFrom("links")
          .select([...linkColumns, "foldedKey", revision.as("revision")])
          .where("domainId", "=", domainId)
          .where("foldedKey", "in", foldedKeys)
          .where("forwardPath", "=", 1)
          .where("workspaceId", "not in", deleted(db))
          .execute(),
      );
      const [first] = rows.sort(
        (one, other) => foldedKeys.indexOf(one.foldedKey) - foldedKeys.indexOf(other.foldedKey),
      );
      return first === undefined ? undefined : redirectLink(first, await readBlocks(first.revision));
    },
    async preview(linkId) {
      const row = await inTime(
        db.selectFrom("links").select(previewColumns).where("id", "=", linkId).executeTakeFirst(),
      );
      return row ?? noPreview;
    },
    async blocks() {
      return await inTime(currentBlocks(db));
    },
    close() {},
  };
}

const revision = sql<string>`${sql.raw(blocksRevision)}`;

/** Limits how long a visitor waits for an unresponsive server. */
async function inTime<Row>(rows: Promise<Row>): Promise<Row> {
  return await withTimeout(visitorWaitMaxMs, rows);
}

/** Deleted workspaces whose links and domains are not erased yet; usually none. */
function deleted(db: Db) {
  return db.selectFrom("erasures").select("workspaceId");
}
