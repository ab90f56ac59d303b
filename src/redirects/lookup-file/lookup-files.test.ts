import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { copyLink, type LinkWorkspace, type LinkWorld, openLinkWorld } from "../../../tests/support/links.ts";
import { mountDisk } from "../../../tests/support/small-disk.ts";
import { deleteWorkspace } from "../../access/delete-workspace.ts";
import { dayMs } from "../../base/time.ts";
import { connect, type SqliteHandle } from "../../database/database.ts";
import { transact } from "../../database/transact.ts";
import { defaultSettings } from "../../domains/domain-settings.ts";
import { insertDomain } from "../../domains/domains.ts";
import { createLink } from "../../links/create-link.ts";
import { deleteLink } from "../../links/delete-link.ts";
import { deleteLinks } from "../../links/delete-links.ts";
import { eraseNextPart } from "../../links/erase-workspace.ts";
import { updateLink } from "../../links/update-link.ts";
import { updateLinks } from "../../links/update-links.ts";
import type { Lookup } from "../lookup.ts";
import { openSqliteLookup } from "../lookup-sqlite.ts";
import { discardLookupFile } from "./active-lookup-file.ts";
import { fileNames } from "./layout.ts";
import { LookupFiles } from "./lookup-files.ts";

/** More links than a lookup applies in one step. */
const manyLinks = 1_200;
/** Links that only the file contains at the end of a test. */
const fileOnlyLinks = 50;
/** A clock that does not advance: writing a file takes no time, so the next file is written without a wait. */
const stoppedClock = () => 0;

let world: LinkWorld;
let folder: string;
let workspace: LinkWorkspace;
let files: LookupFiles;
let lookup: Lookup;

beforeEach(async () => {
  world = await openLinkWorld("sqlite");
  folder = mkdtempSync(join(tmpdir(), "waypost-lookup-"));
  workspace = await world.newWorkspace();
  files = openFiles(1);
  lookup = openSqliteLookup(sqlite(), folder);
});
afterEach(async () => {
  lookup.close();
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

function sqlite(): SqliteHandle {
  const handle = world.database.sqlite;
  if (handle === undefined) throw new Error("The test needs SQLite.");
  return handle;
}

function openFiles(linksMin: number, into = folder, clock = stoppedClock): LookupFiles {
  return new LookupFiles({ database: () => world.database, now: world.deps.now, folder: into, linksMin, clock });
}

async function make(key: string, at = workspace): Promise<string> {
  return (await createLink(world.deps, at.actor, { url: "a.example", key, domain: at.domain.slug })).id;
}

async function urlOf(key: string, at = workspace, from = lookup): Promise<string | undefined> {
  return (await from.link(at.domain.id, key))?.url;
}

/** Deletes a link without an event and without a counted commit, so that only the lookup file still contains it. */
async function deleteUnnoticed(id: string): Promise<void> {
  const other = connect({ kind: "sqlite", path: sqlite().path }, "lossy");
  await other.db.deleteFrom("links").where("id", "=", id).execute();
  await other.close();
}

test("a file is written only for enough links, and lookups then use it", async () => {
  const id = await make("there");
  expect(await openFiles(10).keep()).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);

  const result = await files.keep();

  expect(result).toMatchObject({ isNew: true, manifest: { links: 3 } });
  await deleteUnnoticed(id);
  expect(await urlOf("there")).toBe("https://a.example/");
});

test("a file that is current is kept, also by the next process", async () => {
  const id = await make("there");
  await files.keep();
  const names = readdirSync(folder);
  await make("another");

  expect(await files.keep()).toMatchObject({ isNew: false });
  expect(await openFiles(1).keep()).toMatchObject({ isNew: false });
  expect(readdirSync(folder)).toEqual(names);

  await deleteUnnoticed(id);
  const next = openSqliteLookup(sqlite(), folder);
  expect(await urlOf("there", workspace, next)).toBe("https://a.example/");
  next.close();
});

test("the database is not queried when nothing was committed since the last call", async () => {
  await make("there");
  await files.keep();
  // Storing the name of the file is a commit, too.
  await files.keep();

  expect(await files.keep()).toBeUndefined();
});

test("after many changes a new file replaces the first", async () => {
  await make("there");
  await files.keep();
  const [first] = readdirSync(folder);
  const id = await make("made-later");
  await sql`WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 20000)
    INSERT INTO events ("workspaceId", type, "objectId", "userId", at, data)
    SELECT ${workspace.actor.workspaceId}, 'tag.created', 'tag_' || number, NULL, 0, '{}' FROM numbers`.execute(
    world.deps.db,
  );
  await transact(world.deps.db, async () => {});

  expect(await files.keep()).toMatchObject({ isNew: true, manifest: { links: 4 } });
  const names = readdirSync(folder);
  expect(names).toHaveLength(1);
  expect(names[0]).not.toBe(first ?? "");
  await deleteUnnoticed(id);
  expect(await urlOf("made-later")).toBe("https://a.example/");
});

test("writing files takes at most a tenth of the time, however much changes", async () => {
  let time = 0;
  // The clock advances by a second with each reading, so that writing takes a second.
  const slow = openFiles(1, folder, () => (time += 1_000));
  await slow.keep();
  await make("made-later");
  world.advance(dayMs);

  let waits = 0;
  while (!(await slow.keep())?.isNew) waits++;

  // Each call reads the clock once: the tenth came ten seconds after the first write, which took one second.
  expect(waits).toBe(9);
});

test("a deleted link is no longer in the file a day later", async () => {
  await files.keep();
  await deleteLink(world.deps, workspace.actor, await make("secret-plan"));
  world.advance(dayMs / 2);
  expect((await openFiles(1).keep())?.isNew).toBe(false);

  world.advance(dayMs / 2);

  expect(await files.keep()).toMatchObject({ isNew: true, manifest: { links: 2 } });
});

test("the next lookup sees every answered change: new, changed, renamed and deleted links", async () => {
  const [changed, renamed, deleted] = [await make("changed"), await make("renamed"), await make("deleted")];
  await files.keep();

  await updateLink(world.deps, workspace.actor, changed, { url: "https://b.example" });
  await updateLink(world.deps, workspace.actor, renamed, { key: "other-name" });
  await deleteLink(world.deps, workspace.actor, deleted);
  await make("made-later");

  expect(await urlOf("changed")).toBe("https://b.example/");
  expect(await urlOf("renamed")).toBeUndefined();
  expect(await urlOf("other-name")).toBe("https://a.example/");
  expect(await urlOf("deleted")).toBeUndefined();
  expect(await urlOf("made-later")).toBe("https://a.example/");
  const next = openSqliteLookup(sqlite(), folder);
  expect(await urlOf("changed", workspace, next)).toBe("https://b.example/");
  expect(await urlOf("deleted", workspace, next)).toBeUndefined();
  next.close();
});

test("the next lookup sees a link moved to another domain, and links changed and deleted in bulk", async () => {
  const other = await world.newWorkspace();
  const second = await world.deps.db
    .transaction()
    .execute((tx) =>
      insertDomain(
        tx,
        workspace.actor,
        { slug: "second.example.com", status: "verified", isInstance: 0 },
        defaultSettings,
        0,
      ),
    );
  const moving = await make("moving");
  const ids = [await make("first"), await make("second"), await make("third")];
  await make("moving", other);
  await files.keep();

  await updateLink(world.deps, workspace.actor, moving, { domain: second.slug });
  await updateLinks(world.deps, workspace.actor, ids.slice(0, 2), { url: "https://b.example" });
  await deleteLinks(world.deps, workspace.actor, ids.slice(2));

  expect(await urlOf("moving")).toBeUndefined();
  expect(await urlOf("moving", { ...workspace, domain: second })).toBe("https://a.example/");
  expect(await urlOf("moving", other)).toBe("https://a.example/");
  expect(await Promise.all(["first", "second", "third"].map((key) => urlOf(key)))).toEqual([
    "https://b.example/",
    "https://b.example/",
    undefined,
  ]);
});

test("more changes than one step applies are all applied, and then the file is used again", async () => {
  const id = await make("original");
  const ids = await copyLink(world.deps.db, id, manyLinks);
  const fileOnly: string[] = [];
  for (let index = 0; index < fileOnlyLinks; index++) fileOnly.push(await make(`kept-${index}`));
  await files.keep();
  for (const copy of ids) await updateLink(world.deps, workspace.actor, copy, { url: "https://b.example" });
  for (const link of fileOnly) await deleteUnnoticed(link);

  // A process that starts now has to apply all changes.
  const next = openSqliteLookup(sqlite(), folder);
  for (let index = 0; index < manyLinks; index++) {
    expect(await urlOf(`copy${index}`, workspace, next)).toBe("https://b.example/");
  }
  // A lookup caches absent keys, so each of these keys shows the state only once.
  let url: string | undefined;
  for (let index = 0; index < fileOnlyLinks && url === undefined; index++) {
    url = await urlOf(`kept-${index}`, workspace, next);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  next.close();

  expect(url).toBe("https://a.example/");
});

test("links of a deleted workspace are absent at once, and stay absent when its events are erased", async () => {
  const deleted = await world.newWorkspace();
  const id = await make("of-the-gone", { actor: deleted.actor, domain: world.instance });
  await files.keep();
  expect(await urlOf("of-the-gone", { ...deleted, domain: world.instance })).toBe("https://a.example/");

  expect(await world.eventsOf(id)).toHaveLength(1);
  await deleteWorkspace(world.deps, deleted.actor, "Acme");

  expect(await urlOf("of-the-gone", { ...deleted, domain: world.instance })).toBeUndefined();
  const { db, now } = world.deps;
  world.advance(3_600_000);
  for (let step = 0; step < 100; step++)
    await eraseNextPart({
      db,
      now,
      spools: async () => [],
      haveNodesSettled: async () => true,
      eraseClicks: async () => {},
    });
  expect(await world.eventsOf(id)).toEqual([]);
  const next = openSqliteLookup(sqlite(), folder);
  expect(await urlOf("of-the-gone", { ...deleted, domain: world.instance }, next)).toBeUndefined();
  next.close();
});

test("when the file that the database names is missing, as after a restored backup, links are looked up in the database", async () => {
  const id = await make("there");
  await files.keep();
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });

  const next = openSqliteLookup(sqlite(), folder);
  expect(await urlOf("there", workspace, next)).toBe("https://a.example/");

  expect((await openFiles(1).keep())?.isNew).toBe(true);
  await deleteUnnoticed(id);
  const another = openSqliteLookup(sqlite(), folder);
  expect(await urlOf("there", workspace, another)).toBe("https://a.example/");
  next.close();
  another.close();
});

/** Deletes a link with an event, like another process that has not counted its commit yet. */
async function deleteElsewhere(id: string): Promise<void> {
  const other = connect({ kind: "sqlite", path: sqlite().path }, "lossy");
  await deleteLink({ ...world.deps, db: other.db }, workspace.actor, id);
  await other.close();
}

test("the first lookup sees what another process commits while the lookups open", async () => {
  const id = await make("there");
  await files.keep();
  let opening: Promise<void> | undefined;
  let count = 1;
  const next = openSqliteLookup(
    {
      path: sqlite().path,
      commits() {
        opening ??= deleteElsewhere(id).then(() => {
          count++;
        });
        return count;
      },
    },
    folder,
  );
  await next.link(workspace.domain.id, "another");
  await opening;

  expect(await urlOf("there", workspace, next)).toBeUndefined();
  next.close();
});

test("a failed read after a commit is repeated by the next lookup", async () => {
  const id = await make("there");
  await files.keep();
  let count = 1;
  const next = openSqliteLookup({ path: sqlite().path, commits: () => count }, folder);
  expect(await urlOf("there", workspace, next)).toBe("https://a.example/");
  await deleteElsewhere(id);
  count++;

  await sql`ALTER TABLE settings RENAME TO "movedSettings"`.execute(world.deps.db);
  expect(() => next.link(workspace.domain.id, "there")).toThrow("settings");
  await sql`ALTER TABLE "movedSettings" RENAME TO settings`.execute(world.deps.db);

  expect(await urlOf("there", workspace, next)).toBeUndefined();
  next.close();
});

for (const [damage, damageFile] of [
  ["whose records are cut", (file: string) => truncateSync(join(file, fileNames.records), 20)],
  ["whose manifest is cut", (file: string) => truncateSync(join(file, fileNames.manifest), 20)],
  ["whose table is missing", (file: string) => rmSync(join(file, fileNames.table))],
] as const) {
  test(`a file ${damage} is ignored, and a new one is written`, async () => {
    const id = await make("there");
    await files.keep();
    const [name = ""] = readdirSync(folder);
    damageFile(join(folder, name));

    const next = openSqliteLookup(sqlite(), folder);
    expect(await urlOf("there", workspace, next)).toBe("https://a.example/");
    next.close();
    expect((await openFiles(1).keep())?.isNew).toBe(true);

    await deleteUnnoticed(id);
    expect(await urlOf("there", workspace, openSqliteLookup(sqlite(), folder))).toBe("https://a.example/");
  });
}

test("after a stop no file is started, and an unfinished one is removed", async () => {
  await make("there");
  const keeping = files.keep();

  await files.stop();

  expect(await keeping).toBeUndefined();
  expect(await files.keep()).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

test("the unfinished file of a killed process is removed before the next one is written", async () => {
  await make("there");
  mkdirSync(join(folder, "left"));
  writeFileSync(join(folder, "left", fileNames.records), "some bytes");

  await files.keep();

  expect(readdirSync(folder)).toHaveLength(1);
  expect(existsSync(join(folder, "left"))).toBe(false);
});

test("links written without events discard the file, and the next file contains them", async () => {
  const id = await make("there");
  await files.keep();
  await copyLink(world.deps.db, id, 1);
  expect(await urlOf("copy0")).toBeUndefined();

  await transact(world.deps.db, discardLookupFile);

  const next = openSqliteLookup(sqlite(), folder);
  expect(await urlOf("copy0", workspace, next)).toBe("https://a.example/");
  next.close();
  expect(await files.keep()).toMatchObject({ isNew: true, manifest: { links: 4 } });
});

test("no file is written to an almost full disk, and links are looked up in the database", async () => {
  await make("there");
  const smallFolder = join(folder, "small");
  const disk = mountDisk(smallFolder, "64m");
  if (disk.kind === "refused") {
    console.info(`A small disk needs the right to mount one: ${disk.reason}`);
    return;
  }
  try {
    await expect(openFiles(1, smallFolder).keep()).rejects.toThrow("too few to write a lookup file");

    expect(readdirSync(smallFolder)).toEqual([]);
    expect(await urlOf("there")).toBe("https://a.example/");
  } finally {
    disk.unmount();
  }
});
