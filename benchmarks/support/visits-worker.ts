/** The thread that generates visits: visits.c runs a round and returns at its end. */
import { cc, ptr } from "bun:ffi";
import { join } from "node:path";
import type { VisitHeads, VisitRound, VisitTotals } from "./visits.ts";

declare const self: Worker;

const { symbols } = cc({
  source: join(import.meta.dir, "visits.c"),
  symbols: { run: { args: ["ptr"], returns: "i32" } },
});
const failures = ["", "no server listens", "a head is too long", "too many connections", "a head was partly sent"];
const latenciesMax = 4_000_000;
const fieldBytes = 8;

let heads: VisitHeads | undefined;
let firstPick = 0;

self.onmessage = ({ data }: MessageEvent<{ heads: VisitHeads } | { round: VisitRound }>) => {
  if ("heads" in data) heads = data.heads;
  else self.postMessage(runRound(data.round));
};

function runRound({ port, connections, seconds, perSecond = 0, picks }: VisitRound): VisitTotals {
  if (heads === undefined) throw new Error("The worker has not received any heads.");
  const { bytes, starts, keyOffset } = heads;
  const latencies = new Float32Array(latenciesMax);
  const delays = new Float32Array(perSecond > 0 ? latenciesMax : 1);
  const expected = Buffer.from("HTTP/1.1 302");
  // The order is that of `struct round`.
  const fields = [
    ...[addressOf(bytes), addressOf(starts), BigInt(starts.length - 1), BigInt(keyOffset)],
    ...[addressOf(picks), BigInt(picks.length), BigInt(firstPick)],
    ...[addressOf(expected), BigInt(expected.length)],
    ...[BigInt(port), BigInt(connections), seconds, perSecond],
    ...[addressOf(latencies), addressOf(delays), BigInt(latenciesMax)],
    ...[0, 0, 0, 0, 0],
  ];
  const round = new DataView(new ArrayBuffer(fields.length * fieldBytes));
  fields.forEach((field, index) => {
    if (typeof field === "bigint") round.setBigUint64(index * fieldBytes, field, true);
    else round.setFloat64(index * fieldBytes, field, true);
  });
  const failure = symbols.run(ptr(round));
  if (failure !== 0) throw new Error(`The round failed: ${failures[failure] ?? failure}.`);
  const result = (back: number) => round.getFloat64((fields.length - back) * fieldBytes, true);
  const answered = result(5);
  firstPick = (firstPick + answered) % picks.length;
  const measured = latencies.slice(0, Math.min(answered, latenciesMax));
  return {
    ...{ answered, seconds: result(4), cpuSeconds: result(3), wrong: result(2), unanswered: result(1) },
    latencies: measured.sort(),
    delays: delays.slice(0, perSecond > 0 ? Math.min(answered, latenciesMax) : 0).sort(),
  };
}

function addressOf(bytes: Uint8Array | Uint32Array | Float32Array): bigint {
  return BigInt(ptr(bytes));
}
