/** The copy of the links that redirects read with PostgreSQL: it follows every change, and works without the server. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { deleteWorkspace } from "../../src/access/delete-workspace.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { followerName } from "../../src/database/postgres-follower.ts";
import { waitAfterChanges } from "../../src/database/transact.ts";
import { deleteDomain } from "../../src/domains/delete-domain.ts";
import { createLink } from "../../src/links/create-link.ts";
import { createLinks } from "../../src/links/create-links.ts";
import { deleteLink } from "../../src/links/delete-link.ts";
import { eraseNextPart } from "../../src/links/erase-workspace.ts";
import { updateLink } from "../../src/links/update-link.ts";
import type { Lookup } from "../../src/redirects/lookup.ts";
import { openPostgresLookup } from "../../src/redirects/lookup-postgres.ts";
import { isReplicaUsable, openReplicaLookup } from "../../src/redirects/replica/lookup-replica.ts";
import { openReplica, type Replica } from "../../src/redirects/replica/replica.ts";
import { VisitedLinks } from "../../src/redirects/replica/visited-links.ts";
import { copyLink, type LinkWorkspace, type LinkWorld, openLinkWorld } from "../support/links.ts";
import { eventually } from "../support/server.ts";

const bytesMax = 1024 ** 3;
/** More links than one page of the copy. */
const manyLinks = 2_500;

let world: LinkWorld;
let folder: string;

beforeAll(async () => {
  world = await openLinkWorld("postgres");
  folder = mkdtempSync(join(tmpdir(), "waypost-replica-"));
});

afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A node: a replica in a folder, and the lookup that redirects use. */
type Node = { replica: Replica; lookup: Lookup; path: string; close(): Promise<void> };

async function openNode(name: string): Promise<Node> {
  if (world.location.kind !== "postgres") throw new Error("The test needs PostgreSQL.");
  const path = join(folder, name);
  const replica = await openReplica({ url: world.location.url, path, bytesMax });
  await eventually(
    async () => isReplicaUsable(path),
    (isUsable) => isUsable,
  );
  const lookup = openReplicaLookup(world.deps.db, {
    path,
    lookupFolder: `${path}-lookup`,
    visited: new VisitedLinks(),
  });
  return {
    ...{ replica, lookup, path },
    async close() {
      lookup.close();
      await replica.close();
    },
  };
}

/** What both lookups say about some keys of a domain, as redirects see it. */
async function answersOf(lookup: Lookup, { domain }: LinkWorkspace, keys: readonly string[]) {
  const found = await lookup.domain(domain.slug);
  if (found === undefined) return { domain: undefined, links: [] };
  const links = keys.map(async (key) => {
    const link = await lookup.link(domain.id, key);
    const isDeleted = link === undefined && (await lookup.isDeleted(domain.id, key));
    return { key, url: link?.url, isBlocked: link?.isBlocked, expiresAt: link?.expiresAt, isDeleted };
  });
  return { domain: found.slug, hasForwarding: found.hasForwarding, links: await Promise.all(links) };
}

async function make(at: LinkWorkspace, key: string, url = "https://a.example/"): Promise<string> {
  return (await createLink(world.deps, at.actor, { url, key, domain: at.domain.slug })).id;
}

test("a node copies all links, then answers as PostgreSQL does after each kind of change", async () => {
  const at = await world.newWorkspace();
  const other = await world.newWorkspace();
  const first = await make(at, "first");
  await copyLink(world.deps.db, first, manyLinks);
  const node = await openNode("changes");
  const keys = ["first", "second", "third", "moved", "copy0", `copy${manyLinks - 1}`, "missing"];
  const source = openPostgresLookup(world.deps.db);
  async function expectSame() {
    await node.replica.caughtUp();
    const answers = await answersOf(node.lookup, at, keys);
    expect(answers).toEqual(await answersOf(source, at, keys));
    expect(await answersOf(node.lookup, other, keys)).toEqual(await answersOf(source, other, keys));
    return answers;
  }

  expect(await expectSame()).toMatchObject({
    links: [{ url: "https://a.example/" }, { url: undefined }, {}, {}, {}, {}, {}],
  });
  const second = await make(at, "second");
  await expectSame();
  await updateLink(world.deps, at.actor, second, { url: "https://b.example/", forwardPath: true });
  expect(await expectSame()).toMatchObject({ hasForwarding: true });
  // Two links exchange keys through a third one.
  await updateLink(world.deps, at.actor, second, { key: "moved" });
  await updateLink(world.deps, at.actor, first, { key: "second" });
  await updateLink(world.deps, at.actor, second, { key: "first" });
  await expectSame();
  await deleteLink(world.deps, at.actor, second);
  expect(await expectSame()).toMatchObject({ links: [{ url: undefined, isDeleted: true }, {}, {}, {}, {}, {}, {}] });
  await make(at, "first");
  await expectSame();
  await make(other, "second");
  await deleteWorkspace(world.deps, other.actor, "Acme");
  await expectSame();
  world.advance(3_600_000);
  const { db, now } = world.deps;
  for (let step = 0; step < 100; step++)
    await eraseNextPart({
      db,
      now,
      spools: async () => [],
      haveNodesSettled: async () => true,
      eraseClicks: async () => {},
    });
  await expectSame();
  await deleteDomain(world.deps, at.actor, at.domain.slug);
  await expectSame();

  await node.close();
});

test("a change that commits after one with a higher id is not missed", async () => {
  if (world.location.kind !== "postgres") throw new Error("The test needs PostgreSQL.");
  const at = await world.newWorkspace();
  const node = await openNode("order");
  const late = await openDatabase(world.location);
  const isOpen = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const committed = late.db.transaction().execute(async (tx) => {
    await tx
      .insertInto("events")
      .values({
        workspaceId: at.actor.workspaceId,
        type: "link.updated",
        objectId: "none",
        userId: null,
        at: 0,
        data: "{}",
      })
      .execute();
    isOpen.resolve();
    await mayCommit.promise;
  });
  await isOpen.promise;
  await make(at, "early");
  await node.replica.caughtUp();
  const before = await changesIn(node);
  mayCommit.resolve();
  await committed;
  await node.replica.caughtUp();

  const after = await changesIn(node);

  expect(before.filter((id) => id === "none")).toHaveLength(0);
  expect(after.filter((id) => id === "none")).toHaveLength(1);
  await late.close();
  await node.close();
});

test("no change is missed where the ids of transactions get another digit", async () => {
  const at = await world.newWorkspace();
  const { db } = world.deps;
  const first = await openNode("digits");
  await first.close();
  // The position of a node that has been away since before both transactions.
  const file = new (await import("bun:sqlite")).Database(first.path);
  file.run(`UPDATE settings SET value = json_set(value, '$.snapshot', '990:990:') WHERE name = 'position'`);
  file.close();
  const base = { workspaceId: at.actor.workspaceId, type: "link.updated", userId: null, at: 0, data: "{}" };
  await db
    .insertInto("events")
    .values({ ...base, objectId: "digits999" })
    .execute();
  await sql`UPDATE events SET "transactionId" = '999' WHERE "objectId" = 'digits999'`.execute(db);
  await sql`INSERT INTO events ("workspaceId", type, "objectId", at, data, "transactionId")
    SELECT ${base.workspaceId}::integer, ${base.type}, 'digits1000', 0, '{}', '1000' FROM generate_series(1, 1005)`.execute(
    db,
  );
  // A new server may not have come that far.
  for (let id = 0; id <= 1_000; ) {
    const { rows } = await sql<{ id: number }>`SELECT pg_current_xact_id()::text::bigint AS id`.execute(db);
    id = rows[0]?.id ?? 0;
  }

  const second = await openNode("digits");

  const changes = await changesIn(second);
  expect(changes.filter((id) => id === "digits999")).toHaveLength(1);
  expect(changes.filter((id) => id === "digits1000")).toHaveLength(1_005);
  await second.close();
});

test("rows that a node has followed equal the rows that a new node copies", async () => {
  const at = await world.newWorkspace();
  const follows = await openNode("follows");
  waitAfterChanges(world.deps.db, () => follows.replica.caughtUp());
  const link = await createLink(world.deps, at.actor, {
    ...{ url: 'https://a.example/?q="ä"\\', key: "Full", domain: at.domain.slug, title: "\u{1F600}\n\t" },
    ...{
      expiresAt: Date.UTC(2199, 0),
      password: "secret words",
      ios: "https://ios.example/",
      geo: { DE: "https://de.example/" },
    },
  });
  await make(at, "gone");
  const gone = await make(at, "gone-too");
  await deleteLink(world.deps, at.actor, gone);
  await updateLink(world.deps, at.actor, link.id, { forwardPath: true, maxClicks: 1_000_000_000 });
  waitAfterChanges(world.deps.db, async () => {});
  const [followed, copied] = [await rowsIn(follows, at), await rowsIn(await openNode("copies"), at)];

  expect(followed).toEqual(copied);

  // With the link of the domain's own page.
  expect(followed.links).toHaveLength(3);
  expect(followed.releasedKeys).toHaveLength(1);
  await follows.close();
});

test("the links of a bulk call are visible when it resolves", async () => {
  const at = await world.newWorkspace();
  const node = await openNode("bulk");
  waitAfterChanges(world.deps.db, () => node.replica.caughtUp());
  const keys = Array.from({ length: 100 }, (_, index) => `bulk${index}`);

  await createLinks(
    world.deps,
    at.actor,
    keys.map((key) => ({ url: "https://a.example/", key, domain: at.domain.slug })),
  );

  const { links } = await answersOf(node.lookup, at, keys);
  expect(links.filter(({ url }) => url === "https://a.example/")).toHaveLength(keys.length);
  waitAfterChanges(world.deps.db, async () => {});
  await node.close();
});

test("a transaction resolves when the replica has its change; another node follows by itself", async () => {
  const at = await world.newWorkspace();
  const [own, other] = [await openNode("own"), await openNode("other")];
  waitAfterChanges(world.deps.db, () => own.replica.caughtUp());

  await make(at, "instant");

  expect((await own.lookup.link(at.domain.id, "instant"))?.url).toBe("https://a.example/");
  const onOther = await eventually(
    async () => await other.lookup.link(at.domain.id, "instant"),
    (link) => link !== undefined,
  );
  expect(onOther?.url).toBe("https://a.example/");
  waitAfterChanges(world.deps.db, async () => {});
  await own.close();
  await other.close();
});

test("a change whose notification is lost is found by polling", async () => {
  const at = await world.newWorkspace();
  const node = await openNode("unnotified");
  await sql`alter table "events" disable trigger "eventsNotify"`.execute(world.deps.db);

  await make(at, "unnotified");

  const link = await eventually(
    async () => await node.lookup.link(at.domain.id, "unnotified"),
    (found) => found !== undefined,
  );
  expect(link?.url).toBe("https://a.example/");
  await sql`alter table "events" enable trigger "eventsNotify"`.execute(world.deps.db);
  await node.close();
});

test("a node whose connection is cut connects again and misses nothing", async () => {
  const at = await world.newWorkspace();
  const node = await openNode("cut");
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ${followerName}`.execute(
    world.deps.db,
  );

  await make(at, "while-cut");

  const link = await eventually(
    async () => await node.lookup.link(at.domain.id, "while-cut"),
    (found) => found !== undefined,
  );
  expect(link?.url).toBe("https://a.example/");
  await node.close();
});

test("a replica of another database is filled again, and answers as that database", async () => {
  const at = await world.newWorkspace();
  await make(at, "kept");
  const first = await openNode("again");
  await first.close();
  expect(existsSync(first.path)).toBe(true);
  const file = new (await import("bun:sqlite")).Database(first.path);
  file.run(`UPDATE settings SET value = replace(value, '"timeline":"', '"timeline":"old')`);
  file.run("DELETE FROM links");
  file.close();

  const second = await openNode("again");

  const link = await eventually(
    async () => await second.lookup.link(at.domain.id, "kept"),
    (found) => found !== undefined,
  );
  expect(link?.url).toBe("https://a.example/");
  await second.close();
});

test("a workspace that was erased while the node was away leaves no link", async () => {
  const gone = await world.newWorkspace();
  const shared = { actor: gone.actor, domain: world.instance };
  await make(shared, "of-the-gone");
  const first = await openNode("away");
  const before = await first.lookup.link(world.instance.id, "of-the-gone");
  await first.close();
  await deleteWorkspace(world.deps, gone.actor, "Acme");
  world.advance(3_600_000);
  const { db, now } = world.deps;
  const left = async () => await db.selectFrom("erasures").selectAll().execute();
  for (let step = 0; step < 100 && (await left()).length > 0; step++) {
    await eraseNextPart({
      db,
      now,
      spools: async () => [],
      haveNodesSettled: async () => true,
      eraseClicks: async () => {},
    });
  }

  const second = await openNode("away");

  expect(before?.url).toBe("https://a.example/");
  expect(await left()).toEqual([]);
  const link = await eventually(
    async () => await second.lookup.link(world.instance.id, "of-the-gone"),
    (found) => found === undefined,
  );
  expect(link).toBeUndefined();
  await second.close();
});

test("events that a restore brought from a server with later transactions are not read again with every change", async () => {
  const at = await world.newWorkspace();
  const restored = await make(at, "restored");
  await sql`UPDATE events SET "transactionId" = '9000000000' WHERE "objectId" = ${restored}`.execute(world.deps.db);
  const node = await openNode("restored");

  for (const key of ["one", "two", "three"]) {
    await make(at, key);
    await node.replica.caughtUp();
  }

  expect((await changesIn(node)).filter((id) => id === restored)).toEqual([]);
  expect((await node.lookup.link(at.domain.id, "three"))?.url).toBe("https://a.example/");
  await node.close();
});

test("a node copies all links again after a restore into the same database, which leaves no events of its changes", async () => {
  const { db } = world.deps;
  const at = await world.newWorkspace();
  await make(at, "in-backup");
  const later = await make(at, "later");
  const first = await openNode("same-database");
  const before = await first.lookup.link(at.domain.id, "later");
  await first.close();
  // As `pg_restore --clean` does: tables are dropped and created.
  await sql`DELETE FROM links WHERE id = ${later}`.execute(db);
  await sql`CREATE TABLE "restoredEvents" (LIKE events INCLUDING ALL)`.execute(db);
  await sql`DROP TABLE events`.execute(db);
  await sql`ALTER TABLE "restoredEvents" RENAME TO events`.execute(db);

  const second = await openNode("same-database");

  expect(before?.url).toBe("https://a.example/");
  expect(
    await eventually(
      async () => await second.lookup.link(at.domain.id, "later"),
      (found) => found === undefined,
    ),
  ).toBeUndefined();
  expect((await second.lookup.link(at.domain.id, "in-backup"))?.url).toBe("https://a.example/");
  await second.close();
});

/** The ids of the objects of the changes that a node has. */
async function changesIn({ path }: Node): Promise<string[]> {
  const file = new (await import("bun:sqlite")).Database(path, { readonly: true });
  const rows = file.query<{ objectId: string }, []>(`SELECT "objectId" FROM events`).all();
  file.close();
  return rows.map(({ objectId }) => objectId);
}

/** The rows of a workspace's domain that a node has. */
async function rowsIn({ path }: Node, { domain }: LinkWorkspace) {
  const file = new (await import("bun:sqlite")).Database(path, { readonly: true });
  const all = (table: string, column: string) =>
    file.query<Record<string, unknown>, [string]>(`SELECT * FROM "${table}" WHERE "${column}" = ?`).all(domain.id);
  const links = all("links", "domainId").map(({ seq: _, ...row }) => row);
  const rows = { links, domains: all("domains", "id"), releasedKeys: all("releasedKeys", "domainId") };
  file.close();
  return rows;
}
