import { minuteMs } from "../base/time.ts";
import type { ClickStore } from "./store.ts";

/** The calls of a store that a process forwards as they are. The others need the spool or a signal. */
export type StoreCallName = Exclude<
  keyof ClickStore,
  "batchClicksMax" | "insert" | "openBatch" | "export" | "maintain" | "close"
>;

/**
 * How a call is forwarded. A write that fails ends the process, because only a process that opens the file again knows
 * what was stored. `timeMaxMs` is the longest the caller waits, when it is not the usual time.
 */
type StoreCall = { kind: "read" | "write"; timeMaxMs?: number };

/** A recount and a removal read all clicks of a workspace, and a removal may wait for maintenance. */
const longCallTimeMaxMs = 10 * minuteMs;

/** TABLE of the forwarded calls. pipeline.ts and pipeline-worker.ts generate their sides from it. */
const storeCalls: Readonly<Record<StoreCallName, StoreCall>> = {
  storeId: { kind: "read" },
  cursor: { kind: "write" },
  query: { kind: "read" },
  firstClick: { kind: "read" },
  lastClicks: { kind: "read" },
  page: { kind: "read" },
  appendedSince: { kind: "read" },
  linkCounts: { kind: "read" },
  recountRollup: { kind: "write", timeMaxMs: longCallTimeMaxMs },
  erase: { kind: "write", timeMaxMs: longCallTimeMaxMs },
  expire: { kind: "write", timeMaxMs: longCallTimeMaxMs },
};

/** Makes a function for each forwarded call; the functions take and return what the store's own do. */
export function forEachStoreCall<Calls extends Record<StoreCallName, unknown>>(
  forward: (name: StoreCallName, call: StoreCall) => (argument: never) => unknown,
): Calls {
  const calls = Object.entries(storeCalls).map(([name, call]) => [name, forward(name as StoreCallName, call)]);
  // The table has each name once, and `forward` is generic over the names.
  return Object.fromEntries(calls) as Calls;
}

/** The argument and the result of each forwarded call. */
export type StoreCalls = {
  [Name in StoreCallName]: {
    argument: Parameters<ClickStore[Name]>[0];
    result: Awaited<ReturnType<ClickStore[Name]>>;
  };
};
