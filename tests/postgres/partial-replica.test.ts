/** A copy of the links without room for all of them: it has some, answers for the others come from PostgreSQL. */
import { Database as SqliteFile } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLog } from "../../src/base/log.ts";
import { waitAfterChanges } from "../../src/database/transact.ts";
import { createLink } from "../../src/links/create-link.ts";
import { deleteLink } from "../../src/links/delete-link.ts";
import { updateLink } from "../../src/links/update-link.ts";
import type { Lookup } from "../../src/redirects/lookup.ts";
import { LookupFiles } from "../../src/redirects/lookup-file/lookup-files.ts";
import { openPostgresLookup } from "../../src/redirects/lookup-postgres.ts";
import { isReplicaUsable, openReplicaDatabase, openReplicaLookup } from "../../src/redirects/replica/lookup-replica.ts";
import { PartialWatch } from "../../src/redirects/replica/partial-watch.ts";
import { openReplica, type Replica } from "../../src/redirects/replica/replica.ts";
import { VisitedLinks } from "../../src/redirects/replica/visited-links.ts";
import { copyLink, type LinkWorkspace, type LinkWorld, openLinkWorld } from "../support/links.ts";
import { eventually } from "../support/server.ts";

/** About half of the links fit. */
const bytesMax = 1024 ** 2;
const manyLinks = 6_000;
const lastCopy = `copy${manyLinks - 1}`;
/** A page of the copy: 1,000 links. */
const pageBytes = 512 * 1024;

let world: LinkWorld;
let folder: string;
let at: LinkWorkspace;
/** The link whose copies fill the database. Their ids come before those of other links. */
let original: string;
let copies: string[];

beforeAll(async () => {
  world = await openLinkWorld("postgres");
  folder = mkdtempSync(join(tmpdir(), "waypost-partial-"));
});

afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  at = await world.newWorkspace();
  original = await make("original");
  copies = await copyLink(world.deps.db, original, manyLinks);
});

afterEach(async () => {
  waitAfterChanges(world.deps.db, async () => {});
  await world.deps.db.deleteFrom("links").where("domainId", "=", at.domain.id).execute();
});

async function make(key: string, more: { forwardPath?: boolean } = {}): Promise<string> {
  return (await createLink(world.deps, at.actor, { url: "https://a.example/", key, domain: at.domain.slug, ...more }))
    .id;
}

type Node = { replica: Replica; lookup: Lookup; path: string; copyVisited(): Promise<void>; close(): Promise<void> };

async function openNode(name: string, limit = bytesMax): Promise<Node> {
  if (world.location.kind !== "postgres") throw new Error("The test needs PostgreSQL.");
  const path = join(folder, name);
  const replica = await openReplica({ url: world.location.url, path, bytesMax: limit });
  await eventually(
    async () => isReplicaUsable(path),
    (isUsable) => isUsable,
  );
  const visited = new VisitedLinks();
  const lookup = openReplicaLookup(world.deps.db, { path, lookupFolder: `${path}-lookup`, visited });
  return {
    ...{ replica, lookup, path },
    copyVisited: () => replica.copyVisited(visited.take()),
    async close() {
      lookup.close();
      await replica.close();
    },
  };
}

/** What the node's file holds. */
function read<Row>({ path }: Pick<Node, "path">, query: string): Row[] {
  const file = new SqliteFile(path, { readonly: true });
  try {
    return file.query<Row, []>(query).all();
  } finally {
    file.close();
  }
}

const hasCopied = (node: Node, key: string) =>
  read(node, `SELECT 1 FROM links WHERE "foldedKey" = '${key}' AND "domainId" = '${at.domain.id}'`).length === 1;

async function visitAndCopy(node: Node, keys: readonly string[]): Promise<void> {
  for (const key of keys) await node.lookup.link(at.domain.id, key);
  await node.copyVisited();
  await eventually(
    async () => keys.every((key) => hasCopied(node, key)),
    (areAll) => areAll,
  );
}

async function answersOf(lookup: Lookup, keys: readonly string[]) {
  const domain = await lookup.domain(at.domain.slug);
  const links = keys.map(async (key) => {
    const link = await lookup.link(at.domain.id, key);
    return {
      key,
      id: link?.id,
      url: link?.url,
      isDeleted: link === undefined && (await lookup.isDeleted(at.domain.id, key)),
    };
  });
  const forwarding = await lookup.forwardingLink(at.domain.id, ["unknown", "docs"]);
  return { domain: domain?.slug, links: await Promise.all(links), forwarding: forwarding?.id };
}

test("a node without room for all links answers as PostgreSQL does, for links that it has and lacks", async () => {
  await make("docs", { forwardPath: true });
  const deleted = await make("deleted");
  await deleteLink(world.deps, at.actor, deleted);
  const node = await openNode("answers");
  const keys = ["copy0", lastCopy, "original", "docs", "deleted", "missing"];
  const source = openPostgresLookup(world.deps.db);

  const answers = [await answersOf(node.lookup, keys), await answersOf(node.lookup, keys)];

  const expected = await answersOf(source, keys);
  expect(answers).toEqual([expected, expected]);
  expect(expected.links.map(({ isDeleted }) => isDeleted)).toEqual([false, false, false, false, true, false]);
  expect((await node.lookup.domain(at.domain.slug))?.hasForwarding).toBe(true);
  expect((await node.replica.status()).isPartial).toBe(true);
  expect([hasCopied(node, lastCopy), openReplicaDatabase(node.path).current()]).toEqual([false, undefined]);
  await node.close();
});

test("a link that a visitor missed is copied, and then follows the changes of all nodes", async () => {
  const [node, other] = [await openNode("visited"), await openNode("other")];
  await visitAndCopy(node, [lastCopy]);
  await visitAndCopy(other, [lastCopy]);
  const copied = node.lookup.link(at.domain.id, lastCopy);
  waitAfterChanges(world.deps.db, () => node.replica.caughtUp());
  const id = String(copies.at(-1));

  await updateLink(world.deps, at.actor, id, { url: "https://b.example/" });

  const [here, there] = [
    node.lookup.link(at.domain.id, lastCopy),
    await eventually(
      async () => await other.lookup.link(at.domain.id, lastCopy),
      (link) => link?.url === "https://b.example/",
    ),
  ];
  await deleteLink(world.deps, at.actor, id);
  const gone = await node.lookup.link(at.domain.id, lastCopy);
  // From the file: PostgreSQL answers with promises.
  expect([copied, here]).toMatchObject([{ url: "https://a.example/" }, { url: "https://b.example/" }]);
  expect(there?.url).toBe("https://b.example/");
  expect([gone, await node.lookup.isDeleted(at.domain.id, lastCopy)]).toEqual([undefined, true]);
  expect(hasCopied(node, lastCopy)).toBe(false);
  await node.close();
  await other.close();
});

test("the copy stays below its limit while many links are visited, and every answer is that of PostgreSQL", async () => {
  const node = await openNode("bounded");
  const sizes: number[] = [];
  const missing: string[] = [];

  for (let start = 0; start < manyLinks; start += 100) {
    const keys = Array.from({ length: 100 }, (_, index) => `copy${start + index}`);
    const found = await Promise.all(keys.map(async (key) => await node.lookup.link(at.domain.id, key)));
    missing.push(...keys.filter((_, index) => found[index]?.id !== copies[start + index]));
    await node.copyVisited();
    await node.replica.caughtUp();
    sizes.push(Bun.file(node.path).size);
  }

  expect(missing).toEqual([]);
  expect(Math.max(...sizes)).toBeLessThan(bytesMax + pageBytes);
  const kept = read<{ links: number }>(node, "SELECT count(*) AS links FROM links")[0]?.links ?? 0;
  expect(kept).toBeGreaterThan(1_000);
  expect(kept).toBeLessThan(manyLinks);
  await node.close();
});

test("a complete copy that outgrows its limit becomes partial, and no link is lost for visitors", async () => {
  await world.deps.db.deleteFrom("links").where("id", "in", copies.slice(2_000)).execute();
  const node = await openNode("growing");
  const wasPartial = (await node.replica.status()).isPartial;
  const copy = openReplicaDatabase(node.path);
  const lookupFolder = `${node.path}-lookup`;
  const lookupFiles = new LookupFiles({ database: copy.current, now: Date.now, folder: lookupFolder, linksMin: 1_000 });
  const written = await lookupFiles.keep();
  waitAfterChanges(world.deps.db, () => node.replica.caughtUp());
  const keys = Array.from({ length: 40 }, (_, index) => `long${index}`);

  const answers: unknown[] = [];
  for (const key of keys) {
    const url = `https://a.example/${key}/${"x".repeat(20_000)}`;
    await createLink(world.deps, at.actor, { url, key, domain: at.domain.slug });
    answers.push((await node.lookup.link(at.domain.id, key))?.url);
    for (const former of ["copy0", "copy1000", "copy1999"]) {
      answers.push((await node.lookup.link(at.domain.id, former))?.url);
    }
  }

  expect([wasPartial, (await node.replica.status()).isPartial]).toEqual([false, true]);
  expect(answers.filter((url) => url === undefined)).toEqual([]);
  expect(hasCopied(node, "copy0")).toBe(false);
  expect([written?.isNew, await lookupFiles.keep(), lookupFiles.links]).toEqual([true, undefined, 0]);
  expect(readdirSync(lookupFolder)).toEqual([]);
  await copy.close();
  await node.close();
});

test("a partial copy is complete after a start with a larger limit", async () => {
  const first = await openNode("raised");
  await visitAndCopy(first, [lastCopy]);
  await first.close();

  const second = await openNode("raised", 64 * bytesMax);

  const status = await eventually(
    () => second.replica.status(),
    ({ isPartial }) => !isPartial,
  );
  expect(status).toMatchObject({ isPartial: false, failure: undefined });
  const [kept] = read<{ links: number }>(
    second,
    `SELECT count(*) AS links FROM links WHERE "domainId" = '${at.domain.id}'`,
  );
  // With those of the domain's own page and the original.
  expect(kept?.links).toBe(manyLinks + 2);
  expect(await answersOf(second.lookup, [lastCopy, "missing"])).toEqual(
    await answersOf(openPostgresLookup(world.deps.db), [lastCopy, "missing"]),
  );
  await second.close();
});

test("a copy that has only some links is logged once with its limit and the setting, and once when it is complete", async () => {
  const lines: unknown[] = [];
  const log = openLog("info", (line) => lines.push(JSON.parse(line)));
  const watch = new PartialWatch(log, bytesMax);
  const first = await openNode("logged");
  watch.check(await first.replica.status());
  watch.check(await first.replica.status());
  await first.close();

  const second = await openNode("logged", 64 * bytesMax);
  const complete = await eventually(
    () => second.replica.status(),
    ({ isPartial }) => !isPartial,
  );
  watch.check(complete);
  await second.close();

  expect(lines).toMatchObject([
    {
      level: "warn",
      message: expect.stringContaining("so this node's copy is partial"),
      limitBytes: bytesMax,
      copyBytes: expect.any(Number),
      hint: expect.stringContaining("WAYPOST_LOOKUP_MAX_BYTES"),
    },
    { level: "info", message: "This node's copy of the links is complete again.", copyBytes: complete.bytes },
  ]);
  expect(complete.bytes).toBeGreaterThan(bytesMax);
});

test("after a failover, a partial copy keeps no link from before it", async () => {
  const first = await openNode("failover");
  await visitAndCopy(first, [lastCopy]);
  await first.close();
  // As after a failover that lost a change: the links of the former timeline differ, and no event tells.
  const file = new SqliteFile(first.path);
  file.run(`UPDATE settings SET value = replace(value, '"timeline":"', '"timeline":"old')`);
  file.run("UPDATE links SET url = 'https://former.example/'");
  file.close();

  const second = await openNode("failover");

  await eventually(
    async () => (await second.replica.status()).currentAt,
    (currentAt) => currentAt !== undefined,
  );
  expect(read(second, "SELECT id FROM links WHERE url = 'https://former.example/'")).toEqual([]);
  expect((await second.lookup.link(at.domain.id, lastCopy))?.url).toBe("https://a.example/");
  expect((await second.replica.status()).isPartial).toBe(true);
  await second.close();
});

test("a copy without room for any link is used for domains only", async () => {
  const node = await openNode("tiny", 1);

  const answers = [(await node.lookup.domain(at.domain.slug))?.id, (await node.lookup.link(at.domain.id, "copy0"))?.id];

  expect(answers).toEqual([at.domain.id, copies[0]]);
  expect((await node.replica.status()).failure).toBeUndefined();
  await node.close();
});
