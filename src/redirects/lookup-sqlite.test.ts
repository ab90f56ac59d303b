import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { type LinkWorld, openLinkWorld } from "../../tests/support/links.ts";
import { connect, type SqliteHandle } from "../database/database.ts";
import { createLink } from "../links/create-link.ts";
import { updateLink } from "../links/update-link.ts";
import type { Lookup } from "./lookup.ts";
import { openSqliteLookup } from "./lookup-sqlite.ts";

/** More than the caches hold. */
const guesses = 150_000;

let world: LinkWorld;
let lookup: Lookup;
let folder: string;

beforeAll(async () => {
  world = await openLinkWorld("sqlite");
  folder = mkdtempSync(join(tmpdir(), "waypost-lookup-"));
  lookup = openSqliteLookup(sqliteHandle(), folder);
});
afterAll(async () => {
  lookup.close();
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

function sqliteHandle(): SqliteHandle {
  const { sqlite } = world.database;
  if (sqlite === undefined) throw new Error("The test needs SQLite.");
  return sqlite;
}

// A cached link is the same object each time; one that was read again is another object.
test("a flood of unknown keys and hosts evicts no link and no domain", async () => {
  const { actor, domain } = await world.newWorkspace();
  await createLink(world.deps, actor, { url: "a.example", key: "known", domain: domain.slug });
  const link = await lookup.link(domain.id, "known");
  const host = await lookup.domain(domain.slug);

  for (let guess = 0; guess < guesses; guess++) {
    if (lookup.link(domain.id, `guess-${guess}`) !== undefined) throw new Error(`guess-${guess} was found.`);
    if (lookup.domain(`guess-${guess}.example`) !== undefined) throw new Error(`guess-${guess}.example was found.`);
  }

  expect(link?.key).toBe("known");
  expect(host?.slug).toBe(domain.slug);
  expect(await lookup.link(domain.id, "known")).toBe(link);
  expect(await lookup.domain(domain.slug)).toBe(host);
});

test("a missing key is found as soon as a link has it", async () => {
  const { actor, domain } = await world.newWorkspace();
  expect(await lookup.link(domain.id, "later")).toBeUndefined();

  await createLink(world.deps, actor, { url: "a.example", key: "later", domain: domain.slug });

  expect((await lookup.link(domain.id, "later"))?.key).toBe("later");
});

test("the next lookup sees what another process commits", async () => {
  const { actor, domain } = await world.newWorkspace();
  const link = await createLink(world.deps, actor, { url: "a.example", key: "shared", domain: domain.slug });
  // A separate connection maps the count again, as another process does.
  const other = connect({ kind: "sqlite", path: world.database.sqlite?.path ?? "" }, "full");
  expect((await lookup.link(domain.id, "shared"))?.url).toBe("https://a.example/");

  await updateLink({ ...world.deps, db: other.db }, actor, link.id, { url: "https://b.example" });

  expect((await lookup.link(domain.id, "shared"))?.url).toBe("https://b.example/");
  await other.close();
});

// The lookups of a tick share a transaction, and a change may be answered in a tick that has begun one.
test("a lookup sees an answered change, even in a tick that has looked up others before", async () => {
  const { actor, domain } = await world.newWorkspace();
  const link = await createLink(world.deps, actor, { url: "a.example", key: "turn", domain: domain.slug });
  const other = connect({ kind: "sqlite", path: world.database.sqlite?.path ?? "" }, "full");
  let isAnswered = false;

  const seen = updateLink({ ...world.deps, db: other.db }, actor, link.id, { url: "https://b.example" }).then(() => {
    isAnswered = true;
    return lookup.link(domain.id, "turn");
  });
  for (let turn = 0; turn < 10_000 && !isAnswered; turn++) {
    void lookup.link(domain.id, `unknown-${turn}`);
    await new Promise((resolve) => setImmediate(resolve));
  }

  expect((await seen)?.url).toBe("https://b.example/");
  await other.close();
});

test("lookups do not block a checkpoint of the write-ahead log after the tick", async () => {
  const { actor, domain } = await world.newWorkspace();
  await createLink(world.deps, actor, { url: "a.example", key: "before", domain: domain.slug });
  expect(await lookup.link(domain.id, "before")).toBeDefined();
  await new Promise((resolve) => setImmediate(resolve));

  await createLink(world.deps, actor, { url: "a.example", key: "after", domain: domain.slug });
  const { rows } = await sql<{ log: number; checkpointed: number }>`pragma wal_checkpoint(passive)`.execute(
    world.deps.db,
  );

  expect(rows[0]?.log).toBeGreaterThan(0);
  expect(rows[0]?.checkpointed).toBe(rows[0]?.log);
});
