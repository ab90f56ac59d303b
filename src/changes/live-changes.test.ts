import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { engines, testDatabase } from "../../tests/support/databases.ts";
import { problemOf } from "../../tests/support/problem-of.ts";
import { openLog } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import { hourMs } from "../base/time.ts";
import { type ChangedNoun, changedNouns, type EventType, emit, eventBy } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import type { ChangeStream } from "./change-stream.ts";
import { changeBounds, type LiveChanges, openLiveChanges } from "./live-changes.ts";

/** Limits that no test reaches unless it sets others. */
const quiet = { ...changeBounds, heartbeatMs: hourMs, recheckMs: hourMs, pollMs: 5 };
const everything = new Set(changedNouns);
const future = Date.UTC(2100, 0);
const ann = { workspaceId: 1, userId: "user_ann" };

for (const engine of engines) {
  describe(engine, () => {
    let opened: Awaited<ReturnType<typeof testDatabase>>;
    let live: LiveChanges;
    let openCount = 0;

    function start(bounds: Partial<typeof changeBounds> = {}): void {
      const log = openLog("error");
      const onCount = (count: number) => {
        openCount = count;
      };
      live = openLiveChanges({ database: opened.database, log, onCount, bounds: { ...quiet, ...bounds } });
    }
    beforeEach(async () => {
      opened = await testDatabase(engine);
    });
    afterEach(async () => {
      live.close();
      await opened.close();
    });

    const record = async (workspaceId: number, ...types: EventType[]) =>
      await transact(opened.database.db, async (tx) => {
        await emit(tx, ...types.map((type) => eventBy({ workspaceId, userId: null }, type, "object", 0, {})));
      });
    /** A stream after its first heartbeat. */
    async function begun(visible: ReadonlySet<ChangedNoun> = everything, owner = ann): Promise<ChangeStream> {
      const stream = await live.open({ ...owner, since: future, authorize: async () => visible });
      expect(await stream.next()).toEqual([]);
      return stream;
    }

    test("a stream delivers the kinds that changed in its workspace after it began, each once", async () => {
      start();
      await record(1, "domain.created");
      const stream = await begun();

      await record(2, "folder.created");
      await record(1, "link.created", "link.updated", "tag.created");
      const first = await stream.next();
      await record(1, "member.removed");

      expect(first).toEqual(["link", "tag"]);
      expect(await stream.next()).toEqual(["member"]);
    });

    test("a stream first delivers the changes since a time in its workspace, or everything if there are too many", async () => {
      start({ eventsMax: 4, settleMs: 0 });
      const open = async (since: number) => {
        const stream = await live.open({ ...ann, since, authorize: async () => everything });
        return (await stream.next())?.toSorted();
      };
      await record(1, "domain.created");
      const { db } = opened.database;
      const row = { objectId: "object", userId: null, at: 1_000, data: "{}" };
      const later = [
        { ...row, workspaceId: 1, type: "link.created" },
        { ...row, workspaceId: 2, type: "tag.created" },
      ];
      await db.insertInto("events").values(later).execute();

      expect(await open(1_001)).toEqual([]);
      expect(await open(500)).toEqual(["link"]);
      await db
        .insertInto("events")
        .values([...later, ...later])
        .execute();
      expect(await open(500)).toEqual([...changedNouns].sort());
    });

    test("a stream delivers only kinds that its client may read", async () => {
      start();
      const stream = await begun(new Set<ChangedNoun>(["tag"]));

      await record(1, "link.created");
      await record(1, "tag.deleted");

      expect(await stream.next()).toEqual(["tag"]);
    });

    test("many changes in one workspace do not reach the streams of another one", async () => {
      start({ eventsMax: 3 });
      const mine = await begun();
      const theirs = await begun(everything, { workspaceId: 2, userId: "user_bob" });

      await record(2, "link.created", "link.created", "link.updated");
      const first = await theirs.next();
      await record(1, "tag.created");

      expect([first, await mine.next()]).toEqual([["link"], ["tag"]]);
    });

    test("when a step has more changes than it sums up, a stream delivers all kinds", async () => {
      start({ eventsMax: 3, summedEventsMax: 3 });
      const stream = await begun();

      await record(2, "link.created", "link.created", "link.created");

      expect((await stream.next())?.toSorted()).toEqual([...changedNouns].sort());
    });

    // SQLite runs transactions one by one, so there the ids are given.
    test.skipIf(engine === "postgres")(
      "a stream delivers an event that is committed after it began, with a lower id than an earlier event",
      async () => {
        start();
        const insert = (id: number, type: string) =>
          opened.database.db
            .insertInto("events")
            .values({ id, type, workspaceId: 1, objectId: "object", userId: null, at: 0, data: "{}" })
            .execute();
        await insert(1_001, "link.created");
        const stream = await begun();

        await insert(1_000, "tag.created");

        expect(await stream.next()).toEqual(["tag"]);
      },
    );

    test.skipIf(engine === "sqlite")(
      "a stream delivers an event whose transaction began before it and ends after another transaction",
      async () => {
        start();
        const { db } = opened.database;

        const stream = await transact(db, async (tx) => {
          await emit(tx, eventBy({ workspaceId: 1, userId: null }, "tag.created", "object", 0, {}));
          await record(1, "link.created");
          return await begun();
        });

        expect(await stream.next()).toEqual(["tag"]);
      },
    );

    test("streams that open at the same time miss no change", async () => {
      start();
      const open = () => live.open({ ...ann, since: future, authorize: async () => everything });
      const streams = await Promise.all([open(), open(), open()]);
      for (const stream of streams) expect(await stream.next()).toEqual([]);

      await record(1, "tag.created");

      expect(await Promise.all(streams.map((stream) => stream.next()))).toEqual([["tag"], ["tag"], ["tag"]]);
    });

    // SQLite runs transactions one by one.
    test.skipIf(engine === "sqlite")("an event committed after one with a higher id is delivered", async () => {
      start();
      const stream = await begun();
      const { db } = opened.database;

      const first = await transact(db, async (tx) => {
        await emit(tx, eventBy({ workspaceId: 1, userId: null }, "tag.created", "object", 0, {}));
        await record(1, "link.created");
        return await stream.next();
      });

      expect([first, await stream.next()]).toEqual([["link"], ["tag"]]);
    });

    test("a stream ends when its client may no longer read, and leaves the count", async () => {
      start({ recheckMs: 0 });
      let isRevoked = false;
      const stream = await live.open({
        ...ann,
        since: future,
        async authorize() {
          if (isRevoked) throw new Problem("unauthorized", "This API key is revoked.");
          return everything;
        },
      });
      expect(openCount).toBe(1);

      isRevoked = true;

      expect(await problemOf(stream.next())).toMatchObject({ code: "unauthorized" });
      expect(openCount).toBe(0);
    });

    test("a user, a workspace and the service have a limit of streams", async () => {
      start({ userStreamsMax: 1, workspaceStreamsMax: 2, streamsMax: 3 });
      const open = (userId: string, workspaceId: number) =>
        live.open({ userId, workspaceId, since: future, authorize: async () => everything });
      await open("a", 1);
      await open("b", 1);
      const refused = [await problemOf(open("a", 2)), await problemOf(open("c", 1))];
      await open("c", 2);
      refused.push(await problemOf(open("d", 3)));

      expect(refused.map((problem) => problem?.code)).toEqual([
        "rate_limit_exceeded",
        "rate_limit_exceeded",
        "unavailable",
      ]);
    });

    test("closing ends every stream and refuses new ones", async () => {
      start();
      const stream = await begun();

      live.close();

      expect(await stream.next()).toBeUndefined();
      expect(await problemOf(live.open({ ...ann, since: future, authorize: async () => everything }))).toMatchObject({
        code: "unavailable",
      });
    });
  });
}
