import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyLink, type LinkWorkspace, type LinkWorld, openLinkWorld } from "../../../tests/support/links.ts";
import { Blocks } from "../../access/blocks.ts";
import { deleteWorkspace } from "../../access/delete-workspace.ts";
import { createLink } from "../../links/create-link.ts";
import { foldKey } from "../../links/key.ts";
import type { NewLink } from "../../links/link.ts";
import { type LookupRow, linkColumns, plainRedirectLink, redirectLink } from "../lookup.ts";
import { fileNames, type LookupManifest, linkKeyHash } from "./layout.ts";
import { type LookupFile, openLookupFile } from "./lookup-file.ts";
import { writeLookupFile } from "./write-lookup-file.ts";

const generousBounds = { linksMax: 1_000_000, segmentBytes: 1024 ** 3, recordBytesMax: 1024 ** 3 };
const neverAborted = new AbortController().signal;

let world: LinkWorld;
let folder: string;
let path: string;
let workspace: LinkWorkspace;
let files = 0;

beforeAll(async () => {
  world = await openLinkWorld("sqlite");
  folder = mkdtempSync(join(tmpdir(), "waypost-lookup-"));
  path = world.database.sqlite?.path ?? "";
  workspace = await world.newWorkspace();
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

type Bounds = { linksMax?: number; segmentBytes?: number; recordBytesMax?: number };

async function writeFile(bounds: Bounds = {}): Promise<{ folder: string; manifest: LookupManifest; file: LookupFile }> {
  const fileFolder = join(folder, `file-${++files}`);
  const manifest = await writeLookupFile(path, fileFolder, neverAborted, { ...generousBounds, ...bounds });
  const file = openLookupFile(fileFolder);
  if (manifest === undefined || file === undefined) throw new Error("No file was written.");
  return { folder: fileFolder, manifest, file };
}

async function make(key: string, input: Partial<NewLink> = {}, at = workspace): Promise<LookupRow> {
  const link = await createLink(world.deps, at.actor, { url: "a.example", key, domain: at.domain.slug, ...input });
  return await rowOf(link.id);
}

async function rowOf(id: string): Promise<LookupRow> {
  return await world.deps.db.selectFrom("links").select(linkColumns).where("id", "=", id).executeTakeFirstOrThrow();
}

describe("for a link that always sends every visitor to its URL, the file agrees with the database", () => {
  const inputs: Record<string, Partial<NewLink>> = {
    plain: {},
    "MiXed-Case": {},
    "with/slashes/in-it": {},
    "🚀-emoji": {},
    größe: {},
    status: { redirectStatus: 308 },
    indexed: { doIndex: true },
    forwarding: { forwardPath: true },
    titled: { title: "A title", description: "Which no redirect shows" },
    international: { url: "https://bücher.example/straße?q=ü#ß" },
    long: { url: `https://long.example/${"path/".repeat(400)}` },
  };
  for (const [key, input] of Object.entries(inputs)) {
    test(key, async () => {
      const row = await make(key, input);

      const { file } = await writeFile();

      const found = file.find(workspace.domain.id, foldKey(key, false));
      if (typeof found === "string") throw new Error(`The link is ${found}.`);
      expect(plainRedirectLink(found)).toEqual(redirectLink(row, new Blocks("", [])));
    });
  }

  test("on a case-sensitive domain", async () => {
    const exact = await world.newWorkspace({ caseSensitive: 1 });
    const upper = await make("Same", {}, exact);
    const lower = await make("same", {}, exact);

    const { file } = await writeFile();

    expect(file.find(exact.domain.id, "Same")).toMatchObject({ id: upper.id, key: "Same" });
    expect(file.find(exact.domain.id, "same")).toMatchObject({ id: lower.id, key: "same" });
    expect(file.find(exact.domain.id, "SAME")).toBe("absent");
  });
});

describe("the file leaves a link to the database that has", () => {
  const decisiveColumns = {
    passwordHash: "x",
    startsAt: 1,
    expiresAt: 1,
    expiredUrl: "https://b.example/",
    disabledAt: 1,
    maxClicks: 1,
    rules: "[]",
    ios: "https://b.example/",
    android: "https://b.example/",
    geo: "{}",
    testVariants: "[]",
    proxy: 1,
    rewrite: 1,
    url: "",
  } as const;
  const columnsInFile = ["id", "workspaceId", "key", "redirectStatus", "forwardPath", "doIndex"];
  const ineffectiveColumns = ["testStartedAt", "testCompletedAt", "framing", "title"];
  /** Lookups compare these columns with blocks in memory; see lookup-sqlite.ts. */
  const blockable = ["domainId", "userId"];

  test("any column other than those in the file and those without effect alone", () => {
    expect([...Object.keys(decisiveColumns), ...columnsInFile, ...ineffectiveColumns, ...blockable].toSorted()).toEqual(
      [...linkColumns].toSorted(),
    );
  });

  for (const [column, value] of Object.entries(decisiveColumns)) {
    test(`${column}: ${JSON.stringify(value)}`, async () => {
      const { id } = await make(`has-${column.toLowerCase()}`);
      await world.deps.db
        .updateTable("links")
        .set({ [column]: value })
        .where("id", "=", id)
        .execute();

      const { file } = await writeFile();

      expect(file.find(workspace.domain.id, `has-${column.toLowerCase()}`)).toBe("unknown");
    });
  }
});

test("a URL that no header can hold affects only its link, not the file", async () => {
  const { id } = await make("past-the-rules");
  await make("beside-it");
  await world.deps.db.updateTable("links").set({ url: "https://no host/" }).where("id", "=", id).execute();

  const { file } = await writeFile();

  expect(file.find(workspace.domain.id, "past-the-rules")).toBe("unknown");
  expect(file.find(workspace.domain.id, "beside-it")).toMatchObject({ key: "beside-it" });
  await world.deps.db.deleteFrom("links").where("id", "=", id).execute();
});

test("a key without a link is absent; keys of a domain created later are unknown", async () => {
  await make("there");
  const { file } = await writeFile();
  const later = await world.newWorkspace();
  await make("later", {}, later);

  expect(file.find(workspace.domain.id, "not-there")).toBe("absent");
  expect(file.find(later.domain.id, "later")).toBe("unknown");
});

test("a changed link is looked up in the database, and none of a hundred others", async () => {
  await make("changing");
  const { id } = await make("staying");
  const keys = (await copyLink(world.deps.db, id, 100)).map((_, index) => `copy${index}`);
  const { file } = await writeFile();

  file.supersede(workspace.domain.id, "changing");
  file.supersede(workspace.domain.id, "made-later");

  expect(file.find(workspace.domain.id, "changing")).toBe("unknown");
  expect(file.find(workspace.domain.id, "made-later")).toBe("unknown");
  expect(keys.filter((key) => file.find(workspace.domain.id, key) === "unknown").length).toBeLessThan(2);
});

test("links of a deleted workspace are absent; links of other workspaces on its domain are not", async () => {
  const deleted = await world.newWorkspace();
  await make("of-the-gone", {}, deleted);
  await make("of-others");
  const { file } = await writeFile();

  file.supersedeWorkspace(deleted.actor.workspaceId);

  expect(file.find(deleted.domain.id, "of-the-gone")).toBe("absent");
  expect(file.find(workspace.domain.id, "of-others")).toMatchObject({ key: "of-others" });
});

test("records span several segments, and every link is found", async () => {
  const many = await world.newWorkspace();
  const { id } = await make("original", { url: `https://a.example/${"x".repeat(300)}` }, many);
  const ids = await copyLink(world.deps.db, id, 1_000);
  // The smallest segment that every operating system can map.
  const segmentBytes = 64 * 1024;

  const { manifest, file } = await writeFile({ segmentBytes });

  expect(manifest.recordBytes).toBeGreaterThan(5 * segmentBytes);
  for (const [index, copy] of ids.entries()) {
    expect(file.find(many.domain.id, `copy${index}`)).toMatchObject({ id: copy, key: `copy${index}` });
  }
});

test("links beyond the limit of a file, in number or bytes, are left to the database", async () => {
  const many = await world.newWorkspace();
  const { id } = await make("original", { url: `https://a.example/${"x".repeat(30_000)}` }, many);
  await copyLink(world.deps.db, id, 40);
  const few = await writeFile({ linksMax: 3 });
  const small = await writeFile({ recordBytesMax: 1024 ** 2 });

  expect(few.manifest).toMatchObject({ links: 3, isWhole: false });
  expect(few.file.find(workspace.domain.id, "no-such-key")).toBe("unknown");
  expect(small.manifest.isWhole).toBe(false);
  expect(small.manifest.recordBytes).toBeLessThan(1024 ** 2);
  expect(small.file.find(many.domain.id, "copy39")).toBe("unknown");
});

describe("a record with a colliding hash is distinguished by", () => {
  /** Changes the table so that the link at `from` is found at `to`, as if both had the same hash. */
  async function forged(from: [LinkWorkspace, string], to: [LinkWorkspace, string]) {
    const { folder: fileFolder, manifest } = await writeFile();
    const hashOf = ([at, key]: [LinkWorkspace, string]) =>
      linkKeyHash(manifest.seed, manifest.domainIds.indexOf(at.domain.id), key);
    const path = join(fileFolder, fileNames.table);
    const table = new Uint32Array(readFileSync(path).buffer);
    const position = table.find((_, word) => word % 2 === 1 && table[word - 1] === hashOf(from) && table[word] !== 0);
    if (position === undefined) throw new Error("The table has no such link.");
    table.fill(0);
    table.set([hashOf(to), position], 2 * (hashOf(to) >>> (32 - manifest.slotBits)));
    writeFileSync(path, table);
    return openLookupFile(fileFolder);
  }

  test("its key", async () => {
    await make("one-key");

    const file = await forged([workspace, "one-key"], [workspace, "another-key"]);

    expect(file?.find(workspace.domain.id, "another-key")).toBe("absent");
  });

  test("its domain", async () => {
    const other = await world.newWorkspace();
    await make("same-key");
    await make("of-the-other", {}, other);

    const same = await forged([workspace, "same-key"], [workspace, "same-key"]);
    const file = await forged([workspace, "same-key"], [other, "same-key"]);

    expect(same?.find(workspace.domain.id, "same-key")).toMatchObject({ key: "same-key" });
    expect(file?.find(other.domain.id, "same-key")).toBe("absent");
  });
});

test("links of a workspace deleted earlier are not in the file", async () => {
  const deleted = await world.newWorkspace();
  const instance = { actor: deleted.actor, domain: world.instance };
  await make("of-the-gone-before", {}, instance);
  await make("of-the-owner", {}, { actor: world.owner, domain: world.instance });
  await deleteWorkspace(world.deps, deleted.actor, "Acme");

  const { file } = await writeFile();

  expect(file.find(world.instance.id, "of-the-gone-before")).toBe("absent");
  expect(file.find(world.instance.id, "of-the-owner")).toMatchObject({ key: "of-the-owner" });
});

test("an incomplete file and one of another version are ignored", async () => {
  const cut = await writeFile();
  truncateSync(join(cut.folder, fileNames.records), cut.manifest.recordBytes - 1);
  const other = await writeFile();
  writeFileSync(join(other.folder, fileNames.manifest), JSON.stringify({ ...other.manifest, version: 0 }));

  expect(openLookupFile(cut.folder)).toBeUndefined();
  expect(openLookupFile(other.folder)).toBeUndefined();
  expect(openLookupFile(join(folder, "none"))).toBeUndefined();
});

test("an aborted file leaves nothing behind", async () => {
  const { id } = await make("many", {}, await world.newWorkspace());
  await copyLink(world.deps.db, id, 2_500);
  const fileFolder = join(folder, "given-up");

  expect(await writeLookupFile(path, fileFolder, AbortSignal.abort())).toBeUndefined();

  expect(existsSync(fileFolder)).toBe(false);
});
