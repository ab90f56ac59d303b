import { expect, test } from "bun:test";
import type { ReportedNode } from "../nodes/other-spools.ts";
import { awaitStored } from "./await-stored.ts";
import type { SpoolExtent, TrackedSpool } from "./tracked-spool.ts";

const signal = new AbortController().signal;

/** A spool whose reader has stored everything up to `stored()`. */
function spoolOf(extent: SpoolExtent, stored: () => number): TrackedSpool {
  return {
    directory: "",
    get cursors() {
      return { store: stored(), counters: 0 };
    },
    extent: () => extent,
    truncate: async () => {},
  };
}

/** Reports of one other node: the end and the stored position of its spool, one after another; the last one stays. */
function reportsOf(...reports: [end: number, stored: number][]) {
  let read = 0;
  return async (): Promise<ReportedNode[]> => {
    const seenAt = Math.min(read++, reports.length - 1);
    const [end, stored] = reports[seenAt] ?? [0, 0];
    return [{ id: "other", seenAt, isComplete: true, spools: [{ spoolId: "b", end, stored, counted: stored }] }];
  };
}

test("waits until the spools of this node are stored up to the ends that they had", async () => {
  let stored = 0;
  const spools = { all: () => [spoolOf({ id: "a", end: 300, bytes: 300 }, () => (stored += 100))] };

  await awaitStored({ spools, otherNodes: async () => [], intervalMs: 0, checkOthersEveryMs: 1 }, signal);

  expect(stored).toBe(300);
});

test("waits for the end in another node's second report, since its first one may be older than the call", async () => {
  let reads = 0;
  const reports = reportsOf([100, 100], [100, 100], [200, 100], [300, 200], [300, 300]);
  const otherNodes = () => {
    reads++;
    return reports();
  };

  await awaitStored({ spools: { all: () => [] }, otherNodes, intervalMs: 0, checkOthersEveryMs: 1 }, signal);

  expect(reads).toBe(4);
});

test("does not wait for a node that stops or for spools that cannot be read", async () => {
  let reads = 0;
  const unreadable: TrackedSpool = {
    ...spoolOf({ id: "a", end: 1, bytes: 1 }, () => 0),
    extent() {
      throw new Error("The folder cannot be read.");
    },
  };
  const running = reportsOf([100, 0], [100, 0]);
  const otherNodes = async () => (++reads < 4 ? await running() : []);

  await awaitStored({ spools: { all: () => [unreadable] }, otherNodes, intervalMs: 0, checkOthersEveryMs: 1 }, signal);

  expect(reads).toBe(4);
});

test("waits for the spools of this node alone while PostgreSQL does not answer", async () => {
  let stored = 0;
  const spools = { all: () => [spoolOf({ id: "a", end: 300, bytes: 300 }, () => (stored += 100))] };
  const otherNodes = () => Promise.reject(new Error("connect ECONNREFUSED"));

  await awaitStored({ spools, otherNodes, intervalMs: 0, checkOthersEveryMs: 1 }, signal);

  expect(stored).toBe(300);
});

test("ends with the reason of the signal", async () => {
  const controller = new AbortController();
  const spools = { all: () => [spoolOf({ id: "a", end: 1, bytes: 1 }, () => 0)] };
  const reason = new Error("The client has left.");

  const waiting = awaitStored(
    { spools, otherNodes: async () => [], intervalMs: 0, checkOthersEveryMs: 1 },
    controller.signal,
  );
  controller.abort(reason);

  await expect(waiting).rejects.toBe(reason);
});
