/** Links of concurrent clients share commits; an answered link survives any crash of the process. */
import { Database as SqliteFile } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Kysely } from "kysely";
import { z } from "zod";
import type { Schema } from "../../src/database/schema.ts";
import { sqliteDialect } from "../../src/database/sqlite.ts";
import { createLink } from "../../src/links/create-link.ts";
import { openLinkWorld, refusal } from "../support/links.ts";
import { startServer, type TestServer } from "../support/server.ts";

const clients = 16;
const atOnce = 32;
const url = "https://example.com/";
const Link = z.object({ id: z.string() });

let server: TestServer | undefined;
afterAll(() => server?.remove());

test("links created at the same time share commits, and a rejected one leaves nothing", async () => {
  const world = await openLinkWorld("sqlite");
  const { actor } = await world.newWorkspace();
  const { actor: other } = await world.newWorkspace();
  let commits = 0;
  // The clock that limits a group stands still, so the size of a group does not depend on the machine.
  const held = { onCommit: () => commits++, now: () => 0 };
  const db = new Kysely<Schema>({ dialect: sqliteDialect(world.database.sqlite?.path ?? "", "full", held) });
  const deps = { ...world.deps, db };
  await createLink(deps, actor, { url, externalId: "taken" });
  commits = 0;

  const refusals = await Promise.all([
    ...Array.from({ length: atOnce }, () => refusal(createLink(deps, actor, { url }))),
    refusal(createLink(deps, actor, { url, key: "refused", externalId: "taken" })),
    ...Array.from({ length: atOnce }, () => refusal(createLink(deps, other, { url }))),
  ]);

  expect(refusals.filter((code) => code !== "none")).toEqual(["conflict"]);
  expect(commits).toBeLessThan(atOnce);
  const left = await db.selectFrom("links").select("id").where("key", "=", "refused").execute();
  expect(left).toEqual([]);
  await db.destroy();
  await world.close();
});

test("after a kill, every answered link exists, and none exists partially", async () => {
  const answered: string[] = [];
  server = await startServer({ WAYPOST_RATE_LIMIT_PER_MINUTE: "0" });

  for (let kill = 1; kill <= 5; kill++) {
    const enough = answered.length + 40 * kill;
    const making = Array.from({ length: clients }, () => makeLinks(server, answered));
    while (answered.length < enough) await Bun.sleep(1);
    await server.end("SIGKILL");
    await Promise.all(making);
    expectWhole(server);
    server = await server.restart();
  }

  const stored = storedLinks(server);
  expect(answered.filter((id) => !stored.has(id))).toEqual([]);
}, 240_000);

/** Creates links one after another until the server is gone, and returns the answered ones. */
async function makeLinks(from: TestServer | undefined, answered: string[]): Promise<void> {
  for (;;) {
    const answer = await from?.call("POST", "/links", { body: { url } }).catch(() => undefined);
    if (answer === undefined) return;
    answered.push(Link.parse(answer.body).id);
  }
}

/** Fails unless every link except the root link has an event, and every event has a link. */
function expectWhole({ data }: TestServer): void {
  const file = new SqliteFile(join(data, "waypost.sqlite"), { readonly: true });
  const halves = file
    .query(
      `select links.id, events.objectId from links full join events on events.objectId = links.id
       and events.type = 'link.created' where coalesce(links.key, '') <> '_root'
       and coalesce(events.type, 'link.created') = 'link.created' and (links.id is null or events.id is null)`,
    )
    .values();
  file.close();
  expect(halves).toEqual([]);
}

function storedLinks({ data }: TestServer): Set<string> {
  const file = new SqliteFile(join(data, "waypost.sqlite"), { readonly: true });
  const ids = file.query<{ id: string }, []>("select id from links").all();
  file.close();
  return new Set(ids.map(({ id }) => id));
}
