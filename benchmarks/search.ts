/**
 * Search, lists and counts of 1,000,000 links in one workspace, with 200,000 in another, on SQLite and on PostgreSQL. A
 * third of the links has a title; one in 1,000 has the tag "Rare", every third the tag "Frequent". The reference is LIKE on all links of the workspace.
 *
 *   npm run benchmark:search [sqlite|postgres] [links]
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import type { Actor } from "../src/access/actor.ts";
import { insertUser } from "../src/access/users.ts";
import { insertWorkspace } from "../src/access/workspaces.ts";
import { newId } from "../src/base/ids.ts";
import type { Database } from "../src/database/database.ts";
import type { Engine } from "../src/database/engine.ts";
import { openDatabase } from "../src/database/open-database.ts";
import { insertDomain } from "../src/domains/domains.ts";
import type { LinkFilter } from "../src/links/link-filter.ts";
import { countLinkGroups, countLinks, type LinkPage, listLinks } from "../src/links/list-links.ts";
import { startPostgres } from "../tests/support/postgres.ts";
import { randomLink } from "./support/link-texts.ts";
import { percentile } from "./support/load.ts";
import { linkWords } from "./synthetic/names.ts";

const [engineArgument, linksArgument] = process.argv.slice(2);
const linkCount = Number(linksArgument ?? 1_000_000);
const otherCount = linkCount / 5;
const rowsPerStatement = 500;
const rounds = 40;
const referenceRounds = 3;

for (const engine of ["sqlite", "postgres"] as const) {
  if (engineArgument === undefined || engineArgument === engine) await measure(engine);
}
process.exit(0);

async function measure(engine: Engine): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "waypost-search-"));
  const server = engine === "postgres" ? await startPostgres() : undefined;
  const path = join(folder, "waypost.sqlite");
  const database = await openDatabase(
    server === undefined ? { kind: "sqlite", path } : { kind: "postgres", url: await server.createDatabase() },
  );
  try {
    console.log(`\n${engine}, ${linkCount} links and ${otherCount} of another workspace`);
    const otherWorkspace = await newWorkspace(database, "go.other.example");
    const workspace = await newWorkspace(database, "go.example.com");
    await load(database, otherWorkspace, otherCount);
    const startedAt = performance.now();
    await load(database, workspace, linkCount);
    await addTags(database, workspace.actor);
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(`stored ${Math.round(linkCount / seconds)} links/s with all indexes, ${rowsPerStatement} to a commit`);
    if (engine === "sqlite") console.log(`the file has ${Math.round(statSync(path).size / linkCount)} bytes a link`);
    if (engine === "postgres") await sql`vacuum analyze`.execute(database.db);
    await report(database, workspace.actor);
    console.log("in the other workspace");
    await time("common", () => list(database, otherWorkspace.actor, { search: "example.com" }));
    await time("absent", () => list(database, otherWorkspace.actor, { search: "zzqxjw" }));
  } finally {
    await database.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type TestWorkspace = { actor: Actor; domainId: string };

async function newWorkspace({ db }: Database, slug: string): Promise<TestWorkspace> {
  return await db.transaction().execute(async (tx) => {
    const userId = await insertUser(tx, { email: null, name: "U", passwordHash: null }, 1);
    const workspaceId = await insertWorkspace(tx, userId, "W", 1);
    const actor: Actor = { userId, workspaceId, role: "owner", scopes: null, expiresAt: null };
    const flags = { archived: 0, caseSensitive: 0, honorDoNotTrack: 0 } as const;
    const texts = { placeholder: null, expiredUrl: null, notFoundUrl: null, logo: null };
    const settings = { ...flags, ...texts, assetLinks: null, appleAppSiteAssociation: null };
    const domain = await insertDomain(tx, actor, { slug, status: "verified", isInstance: 0 }, settings, 1);
    return { actor, domainId: domain.id };
  });
}

async function load({ db }: Database, { actor, domainId }: TestWorkspace, count: number): Promise<void> {
  const start = Date.now() - 2 * count;
  for (let from = 0; from < count; from += rowsPerStatement) {
    const rows = Array.from({ length: Math.min(rowsPerStatement, count - from) }, (_, index) => {
      const number = from + index;
      const at = start + number;
      const { key, url } = randomLink(number);
      return {
        id: newId("link", at),
        workspaceId: actor.workspaceId,
        userId: actor.userId,
        domainId,
        key,
        foldedKey: key,
        url,
        title: number % 3 === 0 ? titleOf(number) : null,
        archived: number % 20 === 0 ? (1 as const) : (0 as const),
        clicks: (number * 7919) % 10_007,
        createdAt: at,
        updatedAt: at,
      };
    });
    await db.transaction().execute((tx) => tx.insertInto("links").values(rows).execute());
  }
}

function titleOf(number: number): string {
  const word = (step: number) => linkWords[(number * step) % linkWords.length] ?? "";
  return `The ${word(7)} ${word(11)} for ${word(13)} ${number}`;
}

async function addTags({ db }: Database, { workspaceId }: Actor): Promise<void> {
  for (const [name, share] of [
    ["Rare", 1_000],
    ["Frequent", 3],
  ] as const) {
    const tag = {
      id: newId("tag", Date.now()),
      workspaceId,
      name,
      foldedName: name.toLowerCase(),
      color: "blue",
    } as const;
    await db
      .insertInto("tags")
      .values({ ...tag, createdAt: 1 })
      .execute();
    await sql`
      insert into "linkTags" ("tagId", "linkId", "position")
      select ${tag.id}, "id", 0 from "links" where "workspaceId" = ${workspaceId} and "clicks" % ${sql.lit(share)} = 0
    `.execute(db);
  }
}

async function report(database: Database, actor: Actor): Promise<void> {
  const search = (text: string, page: Partial<LinkPage> = {}) => list(database, actor, { search: text }, page);
  const word = (round: number) => linkWords[round % linkWords.length] ?? "";
  const searchTimes: number[] = [];
  const timeSearch = async (name: string, query: (round: number) => Promise<unknown>) => {
    searchTimes.push(...(await time(name, query)));
  };
  await timeSearch("rare: a number", (round) => search(String(100_000 + round * 7_919)));
  await timeSearch("rare: word-word-number", (round) => search(`${word(round)}-${word(round + 9)}-${10 + round}`));
  await timeSearch("rare: half words", (round) => search(`${word(round).slice(1)}-${word(round + 3).slice(0, 3)}x`));
  await timeSearch("middling: word-word", (round) => search(`${word(round)}-${word(round + 9)}`));
  await timeSearch("common: a word", (round) => search(word(round)));
  await timeSearch("common: http, com, a host", (round) => search(["http", "com", "example.com"][round % 3] ?? ""));
  await timeSearch("absent", (round) => search(`zq${round}xjw`));
  await timeSearch("title: two words", (round) => search(`${word(round * 7)} ${word(round * 11)}`));
  await timeSearch("name of a rare tag", () => search("rare"));
  await timeSearch("name of a frequent tag", () => search("frequent"));
  await timeSearch("one letter", (round) => search(String.fromCharCode(97 + (round % 26))));
  await timeSearch("two letters", (round) => search(word(round).slice(0, 2)));
  await timeSearch("domain/key", (round) => search(`go.example.com/${word(round).slice(0, 1 + (round % 4))}`));
  await timeSearch("domain", () => search("go.example"));
  printPercentiles("all searches", searchTimes);
  await time("common, page 1,000", () => search("example", { page: 1_000 }));
  await time("count of a rare search", (round) =>
    countLinks(reads(database), actor, { search: `${word(round)}-${100 + round}` }),
  );
  await time("count of a common search", () => countLinks(reads(database), actor, { search: "newsletter" }), 3);
  await time("list", () => list(database, actor, {}));
  await time("list, page 1,000", () => list(database, actor, {}, { page: 1_000 }));
  await time("list of a domain", () => list(database, actor, { domain: "go.example.com" }));
  await time("list of a user, archived too", () =>
    list(database, actor, { userId: actor.userId ?? "", showArchived: true }),
  );
  await time("list of no user", () => list(database, actor, { userId: "user_none" }));
  await time("list before a date", () => list(database, actor, { createdBefore: Date.now() - 1.9 * linkCount }));
  await time("list by clicks", () => list(database, actor, {}, { sortBy: "clicks" }), 5);
  await time("count", () => countLinks(reads(database), actor, {}), 5);
  await time("count by domain", () => countLinkGroups(reads(database), actor, {}, "domain"), 5);
  await time("reference: LIKE over all links", (round) => plainLike(database, actor, `zq${round}xjw`), referenceRounds);
}

function reads(database: Database) {
  return { db: database.reads };
}

async function list(database: Database, actor: Actor, filter: LinkFilter, page: Partial<LinkPage> = {}) {
  return await listLinks(reads(database), actor, filter, { pageSize: 100, ...page });
}

async function plainLike({ reads: db }: Database, { workspaceId }: Actor, text: string): Promise<unknown> {
  return await sql`
    select * from "links" where "workspaceId" = ${workspaceId}
    and (lower("foldedKey") like ${`%${text}%`} or lower("url") like ${`%${text}%`})
    order by "id" desc limit 100`.execute(db);
}

async function time(name: string, query: (round: number) => Promise<unknown>, times = rounds): Promise<number[]> {
  const taken: number[] = [];
  for (let round = 0; round < times; round++) {
    const startedAt = performance.now();
    await query(round);
    taken.push(performance.now() - startedAt);
  }
  printPercentiles(name, taken);
  return taken;
}

function printPercentiles(name: string, taken: readonly number[]): void {
  const [p50, p95] = [percentile(taken, 0.5), percentile(taken, 0.95)];
  console.log(`${name.padEnd(32)} p50 ${p50.toFixed(1).padStart(7)} ms   p95 ${p95.toFixed(1).padStart(7)} ms`);
}
