import { describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engines } from "../../tests/support/databases.ts";
import { openLinkWorld } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { allPartitionsAt, type LinkTally, tallyByPartition } from "../clicks/tally.ts";
import { connect } from "../database/database.ts";
import {
  acknowledgedPosition,
  applyTally,
  counterPositions,
  countersCursor,
  openCounters,
  recordAcknowledged,
} from "./counters.ts";
import { createLink } from "./create-link.ts";
import { deleteLink } from "./delete-link.ts";
import { findLink } from "./find-links.ts";

for (const engine of engines) {
  describe(engine, () => {
    const world = openLinks(engine);
    let spools = 0;

    /** A new link on a new spool, and how to count on it and read it. */
    async function newCounted() {
      const { actor } = await world.newWorkspace();
      const { id } = await createLink(world.deps, actor, { url: "example.com" });
      const spoolId = `spool${++spools}`;
      return {
        actor,
        id,
        spoolId,
        apply: (from: number, to: number, ...links: LinkTally[]) =>
          applyTally({ db: world.deps.db, engine }, spoolId, tallyByPartition(allPartitionsAt(from), to, links)),
        counted: async () => {
          const { clicks, lastClicked } = await findLink(world.deps, actor, id);
          return { clicks, lastClicked };
        },
      };
    }

    test("a tally adds to its links' clicks and keeps the latest time", async () => {
      const { id, apply, counted } = await newCounted();

      await apply(0, 10, { linkId: id, clicks: 3, lastClicked: 2_000 });
      const cursor = await apply(10, 20, { linkId: id, clicks: 4, lastClicked: 1_000 });

      expect(cursor).toBe(20);
      expect(await counted()).toEqual({ clicks: 7, lastClicked: 2_000 });
    });

    test("a tally whose commit was not reported is not applied again, and the next clicks are counted", async () => {
      const { id, spoolId, apply, counted } = await newCounted();
      await apply(0, 10, { linkId: id, clicks: 3, lastClicked: 1_000 });

      const cursor = await apply(0, 20, { linkId: id, clicks: 5, lastClicked: 2_000 });

      expect(cursor).toBe(10);
      expect(await counted()).toEqual({ clicks: 3, lastClicked: 1_000 });
      expect(await apply(cursor, 20, { linkId: id, clicks: 2, lastClicked: 2_000 })).toBe(20);
      expect(await counted()).toEqual({ clicks: 5, lastClicked: 2_000 });
      expect(await countersCursor(world.deps.db, spoolId)).toBe(20);
    });

    test("a link that was deleted in between is skipped", async () => {
      const { actor, id, apply, counted } = await newCounted();
      const deleted = await createLink(world.deps, actor, { url: "example.com" });
      await deleteLink(world.deps, actor, deleted.id);

      await apply(
        0,
        10,
        { linkId: deleted.id, clicks: 3, lastClicked: 1_000 },
        { linkId: id, clicks: 1, lastClicked: 5 },
      );

      expect(await counted()).toEqual({ clicks: 1, lastClicked: 5 });
    });

    test("an interrupted tally is completed without counting a partition twice", async () => {
      const { actor, id, spoolId, counted } = await newCounted();
      const others = await Promise.all(
        [1, 2, 3].map(() => createLink(world.deps, actor, { url: "example.com" }).then((link) => link.id)),
      );
      const ids = [id, ...others];
      const whole = tallyByPartition(
        allPartitionsAt(0),
        10,
        ids.map((linkId) => ({ linkId, clicks: 2, lastClicked: 1_000 })),
      );
      const half = Math.ceil(whole.partitions.length / 2);
      const database = { db: world.deps.db, engine };

      const cursor = await applyTally(database, spoolId, { ...whole, partitions: whole.partitions.slice(half) });
      const positions = await counterPositions(world.deps.db, spoolId);
      await applyTally(database, spoolId, whole);
      const rest = whole.partitions.filter(({ partition }) => positions[partition] === 0);
      const last = await applyTally(database, spoolId, { ...whole, partitions: rest });

      expect({ cursor, last }).toEqual({ cursor: 0, last: 10 });
      expect(await counted()).toEqual({ clicks: 2, lastClicked: 1_000 });
      for (const other of others) expect((await findLink(world.deps, actor, other)).clicks).toBe(2);
    });

    test("a tally without human clicks moves the cursor", async () => {
      const { apply, spoolId } = await newCounted();

      expect(await apply(0, 10)).toBe(10);
      expect(await countersCursor(world.deps.db, spoolId)).toBe(10);
    });

    test("the acknowledged position is stored separately from the counters' cursors", async () => {
      const { apply, spoolId } = await newCounted();
      await apply(0, 20);

      await recordAcknowledged(world.deps.db, spoolId, 7);
      await recordAcknowledged(world.deps.db, spoolId, 10);

      expect(await countersCursor(world.deps.db, spoolId)).toBe(20);
      expect(await acknowledgedPosition(world.deps.db, spoolId)).toBe(10);
    });

    // On SQLite, counting an empty spool ends before the thread takes the next call.
    test.skipIf(engine === "sqlite")(
      "a spool that is being counted is not counted a second time beside it",
      async () => {
        const counters = openCounters(world.location);
        const folder = mkdtempSync(join(tmpdir(), "waypost-counters-"));
        const spool = { spoolId: `spool${++spools}`, directory: folder, mayPause: false };
        try {
          const outcomes = await Promise.allSettled([counters.count(spool), counters.count(spool)]);
          const later = await counters.count(spool);

          expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
          expect(later).toBe(0);
        } finally {
          await counters.close();
          rmSync(folder, { recursive: true });
        }
      },
    );

    test("each spool has its own cursor", async () => {
      const { apply, spoolId } = await newCounted();
      await apply(0, 10);

      expect(await countersCursor(world.deps.db, spoolId)).toBe(10);
      expect(await countersCursor(world.deps.db, "a spool never seen")).toBe(0);
    });
  });
}

describe("a checkpoint", () => {
  test("moves committed pages from SQLite's log into its file", async () => {
    const world = await openLinkWorld("sqlite");
    const path = world.database.sqlite?.path ?? "";
    const folder = mkdtempSync(join(tmpdir(), "waypost-checkpoint-"));
    const counters = openCounters({ kind: "sqlite", path });
    /** The ids in a copy of the file without its log. */
    async function idsInFile(copy: string): Promise<string[]> {
      copyFileSync(path, join(folder, copy));
      const { db, close } = connect({ kind: "sqlite", path: join(folder, copy) }, "full");
      const links = await db.selectFrom("links").select("id").where("key", "=", "here").execute();
      await close();
      return links.map(({ id }) => id);
    }
    await counters.checkpoint();
    const { actor } = await world.newWorkspace();
    const { id } = await createLink(world.deps, actor, { url: "example.com", key: "here" });

    const before = await idsInFile("before.sqlite");
    await counters.checkpoint();
    const after = await idsInFile("after.sqlite");

    expect({ before, after }).toEqual({ before: [], after: [id] });
    await counters.close();
    await world.close();
    rmSync(folder, { recursive: true });
  });
});
