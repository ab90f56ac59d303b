import type { Actor } from "../../src/access/actor.ts";
import { insertUser } from "../../src/access/users.ts";
import { insertWorkspace } from "../../src/access/workspaces.ts";
import type { Database, DatabaseLocation, Db } from "../../src/database/database.ts";
import type { Engine } from "../../src/database/engine.ts";
import type { Flag } from "../../src/database/schema.ts";
import { transact } from "../../src/database/transact.ts";
import { type DomainRow, insertDomain } from "../../src/domains/domains.ts";
import { linkColumns } from "../../src/links/fields.ts";
import type { LinkDeps } from "../../src/links/new-links.ts";
import { testDatabase } from "./databases.ts";
import { problemOf } from "./problem-of.ts";

/** A workspace's owner, and the workspace's only domain. */
export type LinkWorkspace = { actor: Actor; domain: DomainRow };

/** A new database with an instance's domain, and a clock that advances by a millisecond at each reading. */
export type LinkWorld = {
  deps: LinkDeps;
  database: Database;
  /** The location of the database, for another connection. */
  location: DatabaseLocation;
  /** The instance's domain, in a workspace that no test uses. */
  instance: DomainRow;
  /** The owner of that workspace. */
  owner: Actor;
  advance(ms: number): void;
  newWorkspace(options?: { caseSensitive?: Flag }): Promise<LinkWorkspace>;
  /** The events of an object, oldest first, with the fields of their data. */
  eventsOf(objectId: string): Promise<RecordedLinkEvent[]>;
  close(): Promise<void>;
};

type RecordedLinkEvent = {
  type: string;
  userId: string | null;
  workspaceId: number;
  domainId?: unknown;
  foldedKey?: unknown;
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
  framing?: unknown;
};

/** Opens a world on the given engine. */
export async function openLinkWorld(engine: Engine): Promise<LinkWorld> {
  const { database, location, close } = await testDatabase(engine);
  const { db } = database;
  let time = Date.UTC(2027, 0, 1);
  let workspaces = 0;
  const now = () => time++;

  async function newActor(): Promise<Actor> {
    return await db.transaction().execute(async (tx) => {
      const userId = await insertUser(tx, { email: null, name: "", passwordHash: null }, now());
      const workspaceId = await insertWorkspace(tx, userId, "Acme", now());
      return { userId, workspaceId, role: "owner", scopes: null, expiresAt: null };
    });
  }

  async function newDomain(actor: Actor, slug: string, isInstance: Flag, caseSensitive: Flag): Promise<DomainRow> {
    const flags = { archived: 0, caseSensitive, honorDoNotTrack: 0 } as const;
    const texts = { placeholder: null, expiredUrl: null, notFoundUrl: null, logo: null };
    const settings = { ...flags, ...texts, assetLinks: null, appleAppSiteAssociation: null };
    return await db
      .transaction()
      .execute((tx) => insertDomain(tx, actor, { slug, status: "verified", isInstance }, settings, now()));
  }

  const owner = await newActor();
  return {
    owner,
    deps: {
      db,
      now,
      config: {
        WAYPOST_APP_SCHEMES: [],
        WAYPOST_UNVERIFIED_REDIRECTS: true,
        WAYPOST_URL: new URL("https://links.example.com:8443"),
      },
    },
    database,
    location,
    instance: await newDomain(owner, "links.example.com", 1, 0),
    advance(ms) {
      time += ms;
    },
    async newWorkspace({ caseSensitive = 0 } = {}) {
      const actor = await newActor();
      return { actor, domain: await newDomain(actor, `go${++workspaces}.example.com`, 0, caseSensitive) };
    },
    async eventsOf(objectId) {
      const rows = await db.selectFrom("events").selectAll().where("objectId", "=", objectId).orderBy("id").execute();
      return rows.map(({ type, userId, workspaceId, data }) => ({ type, userId, workspaceId, ...JSON.parse(data) }));
    },
    close,
  };
}

/**
 * Copies a link many times, much faster than creating links: the keys are copy0, copy1 and so on, and the copies are
 * older than any link. They have only the given tag. Returns their ids.
 */
export async function copyLink(db: Db, id: string, count: number, tagId?: string): Promise<string[]> {
  const row = await db.selectFrom("links").select(linkColumns).where("id", "=", id).executeTakeFirstOrThrow();
  const copies = Array.from({ length: count }, (_, index) => ({
    ...row,
    id: `link_00${id.slice(-12)}${String(index).padStart(9, "0")}`,
    key: `copy${index}`,
    foldedKey: `copy${index}`,
    externalId: null,
  }));
  for (let start = 0; start < copies.length; start += 500) {
    const part = copies.slice(start, start + 500);
    await transact(db, async (tx) => {
      await tx.insertInto("links").values(part).execute();
      if (tagId === undefined) return;
      const tags = part.map((copy) => ({ linkId: copy.id, tagId, position: 0 }));
      await tx.insertInto("linkTags").values(tags).execute();
    });
  }
  return copies.map((copy) => copy.id);
}

/** The code of the problem that a verb throws; "none" when it succeeds. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  return (await problemOf(work))?.code ?? "none";
}
