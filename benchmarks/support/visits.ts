/**
 * A load of visits to short links like those of browsers, from a separate thread: keep-alive connections, ten header
 * fields, and a new address for each visit, in the X-Forwarded-For of a trusted proxy. See visits.c for the two kinds
 * of load.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { keyOf } from "./links.ts";

/** A round of visits: a closed loop or, with `perSecond`, an open loop at that rate. */
export type VisitRound = {
  port: number;
  connections: number;
  seconds: number;
  perSecond?: number;
  /** Numbers of the links to visit, in this order, repeatedly. A round continues where the last one ended. */
  picks: Uint32Array;
};

/** The result of a round. `latencies` and `delays` are in milliseconds and sorted. */
export type VisitTotals = {
  answered: number;
  seconds: number;
  /** Processor time of the thread that generates the visits. */
  cpuSeconds: number;
  /** Answers other than 302, and connections closed without one. */
  wrong: number;
  /** Visits that were due and got no answer within ten seconds after the round. */
  unanswered: number;
  latencies: Float32Array;
  /** In an open loop: the time from when a visit was due until it was sent, which is part of its latency. */
  delays: Float32Array;
};

/** Concatenated request heads. visits.c writes the key into each head, and the visitor's address after it. */
export type VisitHeads = { bytes: Uint8Array; starts: Uint32Array; keyOffset: number };

const headsCount = 20_000;
const languages = ["en-US,en;q=0.9", "de-DE,de;q=0.9,en;q=0.8", "fr-FR,fr;q=0.9", "zh-CN,zh;q=0.9", "es-ES,es;q=0.9"];
const referers = ["https://www.google.com/", "https://t.co/abc", "https://news.ycombinator.com/item?id=1", ""];

/** The thread that generates visits, one round at a time. */
export type Visitors = {
  visit(round: VisitRound): Promise<VisitTotals>;
  close(): void;
};

/** Starts the thread. */
export function startVisitors(): Visitors {
  const thread = new Worker(new URL("./visits-worker.ts", import.meta.url));
  thread.postMessage({ heads: visitHeads() });
  return {
    visit(round) {
      const { promise, resolve, reject } = Promise.withResolvers<VisitTotals>();
      thread.onmessage = ({ data }: MessageEvent<VisitTotals>) => resolve(data);
      thread.onerror = ({ message }) => reject(new Error(message));
      thread.postMessage({ round });
      return promise;
    },
    close: () => thread.terminate(),
  };
}

function visitHeads(): VisitHeads {
  const agents = humanAgents();
  const start = "GET /";
  const heads = Array.from({ length: headsCount }, (_, index) => {
    const referer = referers[index % referers.length] ?? "";
    const lines = [
      `${start}${keyOf(0)} HTTP/1.1`,
      "Host: localhost",
      `User-Agent: ${agents[index % agents.length]}`,
      "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
      `Accept-Language: ${languages[index % languages.length]}`,
      "Accept-Encoding: gzip, deflate, br",
      ...(referer === "" ? [] : [`Referer: ${referer}`]),
      "Upgrade-Insecure-Requests: 1",
      "X-Forwarded-For: ",
    ];
    return Buffer.from(lines.join("\r\n"));
  });
  const starts = new Uint32Array(headsCount + 1);
  heads.forEach((head, index) => {
    starts[index + 1] = (starts[index] ?? 0) + head.length;
  });
  return { bytes: Buffer.concat(heads), starts, keyOffset: start.length };
}

function humanAgents(): string[] {
  return readFileSync(join(import.meta.dir, "../../tests/fixtures/agents.tsv"), "utf8")
    .split("\n")
    .slice(1)
    .map((line) => line.split("\t"))
    .filter((columns) => columns.at(-1) === "" || columns.length === 4)
    .map(([agent = ""]) => agent);
}
