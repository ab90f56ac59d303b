import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayMs } from "../src/base/time.ts";
import type { Click } from "../src/clicks/click.ts";
import { openDuckDbStore } from "../src/clicks/stores/duckdb/duckdb-store.ts";
import { openDatabase } from "../src/database/open-database.ts";
import { waypost } from "./support/command.ts";
import { withServer } from "./support/server.ts";

const folder = mkdtempSync(join(tmpdir(), "waypost-generate-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const clickCount = 4_000;
const linkCount = 150;
const workspaceCount = 6;

function generate(data: string, args: readonly string[]) {
  return waypost(["benchmark", "generate", ...args], { data });
}

const wanted = ["--clicks", String(clickCount), "--links", String(linkCount), "--workspaces", String(workspaceCount)];
const filled = join(folder, "filled");
const result = await generate(filled, [...wanted, "--days", "40"]);

/** All links except root links, and all clicks. */
async function contents() {
  const database = await openDatabase({ kind: "sqlite", path: join(filled, "waypost.sqlite") });
  const store = await openDuckDbStore({ path: join(filled, "clicks.duckdb"), threads: 1 });
  try {
    const { db } = database;
    const workspaces = await db.selectFrom("workspaces").select("id").execute();
    const links = await db.selectFrom("links").selectAll().where("key", "<>", "_root").execute();
    const domains = await db.selectFrom("domains").select(["id", "workspaceId", "slug"]).execute();
    const clicks: Click[] = [];
    for (const { id } of workspaces) {
      const all = { workspaceId: id, from: 0, to: Date.now() + dayMs, bots: "include", filters: [] } as const;
      clicks.push(...(await store.page({ ...all, order: "oldestFirst", offset: 0, limit: clickCount + 1 })));
    }
    return { workspaces, links, domains, clicks };
  } finally {
    await store.close();
    await database.close();
  }
}

test("generate creates exactly the requested clicks, links and workspaces, and prints their numbers", async () => {
  const { workspaces, links, clicks } = await contents();

  expect(result.code).toBe(0);
  expect(result.stdout).toContain("Created 4,000 clicks on 150 links of 6 workspaces");
  expect(clicks).toHaveLength(clickCount);
  expect(new Set(clicks.map(({ id }) => id)).size).toBe(clickCount);
  expect(links).toHaveLength(linkCount);
  expect(workspaces).toHaveLength(workspaceCount);
});

test("the counters of the generated links agree with the raw clicks", async () => {
  const { links, clicks } = await contents();
  const people = Map.groupBy(
    clicks.filter(({ bot }) => bot === ""),
    ({ linkId }) => linkId,
  );

  const counters = links.map(({ id, clicks, lastClicked }) => ({ id, clicks, lastClicked }));
  expect(counters).toEqual(
    links.map(({ id }) => {
      const own = people.get(id) ?? [];
      return { id, clicks: own.length, lastClicked: own.at(-1)?.time ?? null };
    }),
  );
});

test("every generated click has the workspace, domain, key and destination of a link that was created earlier", async () => {
  const { links, domains, clicks } = await contents();
  const byId = new Map(links.map((link) => [link.id, link]));
  const slugs = new Map(domains.map(({ id, slug }) => [id, slug]));

  const strangers = clicks.filter((click) => {
    const link = byId.get(click.linkId);
    if (link === undefined || link.createdAt > click.time || slugs.get(link.domainId) !== click.domain) return true;
    const { workspaceId, domainId, key, url } = link;
    return Object.entries({ workspaceId, domainId, key, url }).some(
      ([field, value]) => Reflect.get(click, field) !== value,
    );
  });

  expect(strangers).toEqual([]);
  expect(clicks.some(({ url, utm_source }) => utm_source !== "" && url.includes(`utm_source=${utm_source}`))).toBe(
    true,
  );
  expect(clicks.filter(({ url, utm_source }) => (utm_source === "") === url.includes("utm_source="))).toEqual([]);
});

test("generate refuses a folder that contains links, and changes nothing in it", async () => {
  const { code, stderr } = await generate(filled, ["--clicks", "10", "--links", "2", "--workspaces", "1"]);

  expect(code).toBe(1);
  expect(stderr).toBe(
    `waypost: The data folder ${filled} holds links already, and synthetic clicks could not be told from real ones. ` +
      "Set WAYPOST_DATA to an empty folder, and leave WAYPOST_DATABASE_URL out or set it to an empty database.\n",
  );
  expect((await contents()).clicks).toHaveLength(clickCount);
});

test("generate refuses the folder of a running server", async () => {
  await withServer({}, async ({ data }) => {
    const { code, stderr } = await generate(data, ["--clicks", "10", "--links", "2"]);

    expect(code).toBe(1);
    expect(stderr).toContain(`The data folder ${data} is in use by another Waypost`);
  });
});

test.each([
  [["--links", "5"], "required option '--clicks <number>' not specified"],
  [["--clicks", "5"], "required option '--links <number>' not specified"],
  [
    ["--clicks", "0", "--links", "5"],
    "'--clicks <number>' argument '0' is invalid. It must be a whole number above 0.",
  ],
  [["--clicks", "5", "--links", "1000001"], "It must be at most 1000000."],
  [["--clicks", "5", "--links", "5", "--workspaces", "1001"], "It must be at most 1000."],
  [["--clicks", "5", "--links", "5", "--days", "3651"], "It must be at most 3650."],
  [["--clicks", "5", "--links", "5", "--workspaces", "6"], "--workspaces: 6 need as many --links at least, not 5."],
])("generate refuses %p, names valid values, and creates no folder", async (args, message) => {
  const data = join(folder, "refused");

  const { code, stderr } = await generate(data, args);

  expect(code).toBe(1);
  expect(stderr).toContain(message);
  expect(existsSync(data)).toBe(false);
});
