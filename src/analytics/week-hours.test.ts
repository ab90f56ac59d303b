import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomClicks, seededRandom } from "../../tests/support/clicks.ts";
import { type LinkWorld, openLinkWorld } from "../../tests/support/links.ts";
import { hourMs } from "../base/time.ts";
import type { ClickQuery } from "../clicks/query.ts";
import type { ClickStore } from "../clicks/store.ts";
import { openDuckDbStore } from "../clicks/stores/duckdb/duckdb-store.ts";
import { findTimeZone, offsetsBetween, type TimeZone } from "./time-zone.ts";
import { countWeekdayHours } from "./week-hours.ts";

const folder = mkdtempSync(join(tmpdir(), "waypost-week-hours-"));
const now = Date.UTC(2027, 10, 20);
const zone = zoneOf("Europe/Berlin");

let store: ClickStore;
let world: LinkWorld;
beforeAll(async () => {
  world = await openLinkWorld("sqlite");
  store = await openDuckDbStore({ path: join(folder, "clicks.duckdb"), threads: 1 });
});
afterAll(async () => {
  await store.close();
  await world.close();
  rmSync(folder, { recursive: true });
});

/** The offsets of a report over all time since 1970, which the store compares with every click. */
async function offsetsSince1970(workspaceId: number) {
  const queries: ClickQuery[] = [];
  const query = (clickQuery: ClickQuery) => {
    queries.push(clickQuery);
    return store.query(clickQuery);
  };
  const pipeline = { query, firstClick: store.firstClick };
  const selection = { workspaceId, from: 0, to: now, bots: "include", filters: [] } as const;
  const rows = await countWeekdayHours({ db: world.deps.db, pipeline, now: () => now }, selection, zone);
  const clicks = rows.reduce((sum, row) => sum + row.clicks, 0);
  return { clicks, groupings: queries.map(({ grouping }) => grouping) };
}

test("a report by hour of the week over all time names only the clock changes since the workspace or its first click", async () => {
  const { workspaceId } = (await world.newWorkspace()).actor;
  const workspace = world.deps.db.selectFrom("workspaces").select("createdAt").where("id", "=", workspaceId);
  const { createdAt } = await workspace.executeTakeFirstOrThrow();
  const made = randomClicks(seededRandom(1), 50, { from: Date.UTC(2026, 5, 1), to: now }, { workspaceId });
  const withoutClicks = await offsetsSince1970(workspaceId);
  await store.insert({ spoolId: "made", from: 0, to: 1 }, made);
  const withClicks = await offsetsSince1970(workspaceId);

  const first = (await store.firstClick({ workspaceId, before: createdAt })) ?? now;
  expect(first).toBeGreaterThanOrEqual(Math.min(...made.map(({ time }) => time)) - hourMs);
  expect(withoutClicks).toEqual({
    clicks: 0,
    groupings: [{ kind: "weekHours", offsets: offsetsBetween({ from: createdAt, to: now }, zone) }],
  });
  expect(withClicks).toEqual({
    clicks: 50,
    groupings: [{ kind: "weekHours", offsets: offsetsBetween({ from: first, to: now }, zone) }],
  });
  const changes = [offsetsBetween({ from: 0, to: now }, zone), offsetsBetween({ from: first, to: now }, zone)];
  expect(changes.map(({ length }) => length > 50)).toEqual([true, false]);
});

function zoneOf(name: string): TimeZone {
  const found = findTimeZone(name);
  if (found === undefined) throw new Error(`There is no zone ${name}.`);
  return found;
}
