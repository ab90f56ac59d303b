import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines, type TestDatabase, testDatabase } from "../../tests/support/databases.ts";
import { transact } from "../database/transact.ts";
import { abandonSpool } from "./abandon-spool.ts";
import { asLeader, becomeLeader } from "./leader.ts";
import { listNodes, silentAfterMs } from "./list-nodes.ts";
import { Node } from "./node.ts";
import { haveOthersSettled, otherSpools } from "./other-spools.ts";
import { type NodeReport, reportNode } from "./report-node.ts";

const now = Date.UTC(2026, 10, 26);
const read = { spoolId: "read", end: 100, stored: 100, counted: 100 };
const waiting = { spoolId: "waiting", end: 100, stored: 80, counted: 60 };

for (const engine of engines) {
  describe(engine, () => {
    let tested: TestDatabase;
    beforeAll(async () => {
      tested = await testDatabase(engine);
    });
    afterAll(() => tested.close());

    async function report(id: string, changes: Partial<NodeReport> = {}, at = now): Promise<void> {
      const { db } = tested.database;
      const usual = {
        host: "host",
        version: "1",
        state: "running",
        copyAt: at,
        spools: [read],
      } as const;
      await reportNode(db, { id, ...usual, ...changes }, at);
    }
    async function forgetAll(): Promise<void> {
      const { db } = tested.database;
      for (const table of ["nodes", "nodeSpools", "leaders"] as const) await db.deleteFrom(table).execute();
    }

    test("a node's spools are those of its last report, and a spool belongs to the node that reported it last", async () => {
      await forgetAll();
      const { db } = tested.database;
      await report("node_a", { spools: [read, waiting] });
      await report("node_b", { spools: [{ ...waiting, stored: 90 }] });
      await report("node_a", { spools: [] });

      expect(await otherSpools(db, "node_a")).toEqual([{ ...waiting, stored: 90 }]);
      expect(await otherSpools(db, "node_b")).toEqual([]);
    });

    test("a dead node leaves the list when another node has adopted its last spool, and not before it is silent", async () => {
      await forgetAll();
      const { db } = tested.database;
      const other = { ...read, spoolId: "other" };
      const listedAt = async (at: number) => (await listNodes(db, at)).map(({ id }) => id).sort();
      await report("node_a");
      await report("dead", { spools: [waiting, other] });
      await report("node_b", { spools: [other] }, now + silentAfterMs + 1);
      const oneSpoolLeft = await listedAt(now);
      await report("node_b", { spools: [waiting, other] }, now + silentAfterMs);
      const notSilent = await listedAt(now);
      await report("node_b", { spools: [waiting, other] }, now + silentAfterMs + 1);

      expect(oneSpoolLeft).toEqual(["dead", "node_a", "node_b"]);
      expect(notSilent).toEqual(["dead", "node_a", "node_b"]);
      expect(await listedAt(now)).toEqual(["node_a", "node_b"]);
    });

    test("a removal waits for a running node's report after it, and for its copy of the links", async () => {
      await forgetAll();
      const { db } = tested.database;
      const change = { changedAt: now + 1_000, settledAt: now + 2_000 };
      const settled = () => haveOthersSettled(db, "node_a", change);

      await report("node_a");
      const alone = await settled();
      await report("node_b");
      const before = await settled();
      await report("node_b", { copyAt: now + 500 }, now + 3_000);
      const withOldCopy = await settled();
      await report("node_b", { copyAt: null }, now + 3_000);
      const withoutCopy = await settled();
      await report("node_b", {}, now + 3_000);
      const after = await settled();
      await report("node_c", { state: "stopped" });
      const besideStopped = await settled();

      expect({ alone, before, withOldCopy, withoutCopy, after, besideStopped }).toEqual({
        ...{ alone: true, before: false, withOldCopy: false, withoutCopy: false, after: true, besideStopped: true },
      });
    });

    test("an abandoned spool reports the lost bytes, and is not waited for; one of a running node is refused", async () => {
      await forgetAll();
      const { db } = tested.database;
      const change = { changedAt: now, settledAt: now + 1 };
      await report("node_a");
      await report("node_b", { spools: [waiting] });

      const early = abandonSpool(db, "waiting", now + silentAfterMs);
      await expect(early).rejects.toThrow("The node node_b runs and stores the clicks of this spool. Stop it first.");
      const before = await haveOthersSettled(db, "node_a", change);
      const abandoned = await abandonSpool(db, "waiting", now + silentAfterMs + 1);

      expect(before).toBe(false);
      expect(abandoned).toEqual({ spoolId: "waiting", nodeId: "node_b", lostBytes: 40 });
      expect(await haveOthersSettled(db, "node_a", change)).toBe(true);
      expect(await otherSpools(db, "node_a")).toEqual([]);
      await expect(abandonSpool(db, "waiting", now)).rejects.toThrow("No node has the spool waiting");
    });

    test("a list shows states, the leader and waiting bytes; a node that does not report becomes silent", async () => {
      await forgetAll();
      const { db } = tested.database;
      await report("node_a", { spools: [waiting] }, now + 20_000);
      await report("node_b");
      await report("node_c", { state: "stopped", spools: [] }, now - 1);
      await becomeLeader(db, "node_a");

      const listed = await listNodes(db, now + 20_000);

      expect(listed.map(({ id, state, leads, spools }) => ({ id, state, leads, spools }))).toEqual([
        { id: "node_a", state: "running", leads: true, spools: [{ spoolId: "waiting", waitingBytes: 40 }] },
        { id: "node_b", state: "silent", leads: false, spools: [{ spoolId: "read", waitingBytes: 0 }] },
        { id: "node_c", state: "stopped", leads: false, spools: [] },
      ]);
    });

    test("a node that leads again has a new token, and tasks that ask at the same time get the same one", async () => {
      await forgetAll();
      const { db } = tested.database;
      const lock = { turn: 1, lead: async () => lock.turn };
      const node = new Node("node_a", lock);

      const first = await Promise.all([node.leaderToken(db), node.leaderToken(db), node.leaderToken(db)]);
      await becomeLeader(db, "node_b");
      lock.turn = 2;
      const again = await node.leaderToken(db);

      expect([...first, again]).toEqual([1, 1, 1, 3]);
    });

    // SQLite has one node, and no locks of rows.
    if (engine === "sqlite") return;

    test("a former leader's transactions fail and change nothing", async () => {
      await forgetAll();
      const { db } = tested.database;
      const write = (host: string) =>
        transact(db, async (tx) => {
          await tx.updateTable("nodes").set({ host }).execute();
        });
      await report("node_a");
      const first = await becomeLeader(db, "node_a");
      await asLeader(first, () => write("first"));
      const second = await becomeLeader(db, "node_b");

      await expect(asLeader(first, () => write("former"))).rejects.toThrow("Another node runs the tasks now.");
      await asLeader(second, () => write("second"));

      const { host } = await db.selectFrom("nodes").select("host").executeTakeFirstOrThrow();
      expect([first, second, host]).toEqual([1, 2, "second"]);
    });
  });
}
