/**
 * Disk faults under a running server's click store, in rounds that check that no answered click is lost or counted
 * twice. Each round has a fault, kills and a restart, all at random times.
 */
import { expect } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { type Random, seededRandom } from "./clicks.ts";
import { expectCountedOnce, metric, waitUntilDrained } from "./counted-once.ts";
import { compileFaults } from "./failing-writes.ts";
import { Visitors } from "./load.ts";
import { type Environment, eventually, startServer, type TestServer } from "./server.ts";
import { fillDisk, moveOntoDisk } from "./small-disk.ts";

/**
 * Faults: a full disk under the whole data folder; or a store whose writes all fail, or some of them, as on a broken
 * disk (EIO) or on a disk that the operating system has made read-only (EROFS).
 */
export const faultKinds = ["full disk", "EIO", "read-only"] as const;
type FaultKind = (typeof faultKinds)[number];

/** A server whose disk can fail, or the reason why it could not be started. */
type FaultyServer = { kind: "started"; server: TestServer; faults: Faults } | { kind: "refused"; reason: string };
type Faults = { begin(): void; end(): void; remove(): void };

/** The result of all rounds. */
type RoundsOutcome = { kind: "survived"; answered: number; dropped: number } | { kind: "refused"; reason: string };

const keys = ["one", "two", "three"];
/** A public address, so that it has a location. No file may contain it. */
const address = "81.169.145.150";
const trusted: Environment = { WAYPOST_TRUSTED_PROXIES: "127.0.0.1,::1" };
const diskSize = "60m";
const pageBytes = 4_096;
const logCharactersShown = 8_000;
const errnos = { EIO: 5, "read-only": 30 } as const;

/**
 * Runs rounds on one data folder, and compares clicks with responses after each. Throws if a click is missing and was
 * not counted as dropped, if a click is stored twice, or if reports disagree. `log` gets a line for each round.
 */
export async function surviveFaults(
  fault: FaultKind,
  { rounds, seed, log = () => {} }: { rounds: number; seed: number; log?: (line: string) => void },
): Promise<RoundsOutcome> {
  const random = seededRandom(seed);
  const started = await startFaulty(fault, random);
  if (started.kind === "refused") return started;
  const { faults } = started;
  const run = { server: started.server, visitors: new Visitors({ keys, connections: 4, address, random }), dropped: 0 };
  try {
    for (let round = 1; round <= rounds; round++) {
      await surviveRound(run, faults, random);
      log(`${fault}, round ${round} of ${rounds}: ${run.visitors.answered.size} answered, ${run.dropped} dropped`);
    }
    expect(await run.server.end("SIGTERM")).toBe(0);
    await expectCountedOnce(run.server, run.visitors, { dropped: run.dropped, seed, address });
    return { kind: "survived", answered: run.visitors.answered.size, dropped: run.dropped };
  } catch (error) {
    console.error(
      `${fault}, seed ${seed}; the end of the server's log:\n${run.server.output().slice(-logCharactersShown)}`,
    );
    throw error;
  } finally {
    await end(run.server);
    faults.remove();
    await run.server.remove();
  }
}

type Run = { server: TestServer; visitors: Visitors; dropped: number };

async function surviveRound(run: Run, faults: Faults, random: Random): Promise<void> {
  const { visitors } = run;
  await visitors.visitTimes(run.server.url, 3 + Math.floor(random() * 40));
  const isQuiet = random() < 0.5;
  if (isQuiet) await failWhenIdle(run, faults, random);
  else await failUnderLoad(run, faults, random);

  // The server is killed during the fault, or some time after it.
  if (random() < 0.2) await killServer(run);
  faults.end();
  if (isEnded(run.server)) run.server = await run.server.restart();
  // Long enough for the garbage collection of an abandoned engine, which may then touch the file of the next engine.
  await Bun.sleep(isQuiet ? 9_000 : random() * 3_000);
  await visitors.visitTimes(run.server.url, 5);
  if (isQuiet) await waitUntilDrained(run.server);
  await killServer(run);

  run.server = await run.server.restart();
  await waitUntilDrained(run.server);
  expect(await reportedClicks(run.server)).toBe(visitors.answered.size - run.dropped);
}

/** The fault begins during visits, and visits continue. The store process may be killed as well. */
async function failUnderLoad({ server, visitors }: Run, faults: Faults, random: Random): Promise<void> {
  if (random() < 0.5) await ask(server);
  visitors.start(server.url);
  await Bun.sleep(random() * 300);
  faults.begin();
  await Bun.sleep(random() * 300);
  await visitors.stop();
  for (let step = 0; step < 4; step++) {
    await Bun.sleep(random() * 1_000);
    if (random() < 0.4) await ask(server);
    if (random() < 0.25) killStore(server);
    await visitors.visitTimes(server.url, 20);
  }
}

/** The fault begins when all clicks are stored, and lasts for several consecutive failures. */
async function failWhenIdle({ server, visitors }: Run, faults: Faults, random: Random): Promise<void> {
  await waitUntilDrained(server);
  // A query keeps a connection of the engine in use. Without one, a failed engine closes more easily.
  if (random() < 0.8) await ask(server);
  faults.begin();
  await visitors.visitTimes(server.url, 200);
  await Bun.sleep(4_000 + random() * 5_000);
}

/** Kills the server while it has no visits, so that its last count of dropped clicks is exact. */
async function killServer(run: Run): Promise<void> {
  if (isEnded(run.server)) return;
  run.dropped += (await metric(run.server, "waypost_clicks_dropped_total"))[0] ?? Number.NaN;
  await run.server.end("SIGKILL");
}

async function end(server: TestServer): Promise<void> {
  if (!isEnded(server)) await server.end("SIGKILL");
}

function isEnded({ process: { exitCode, signalCode } }: TestServer): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Sends a query, which the server may refuse while the disk fails. */
async function ask(server: TestServer): Promise<void> {
  const { status } = await server.call("GET", "/analytics/clicks");
  expect([200, 503]).toContain(status);
}

const Clicks = z.object({ clicks: z.int() });

async function reportedClicks(server: TestServer): Promise<number> {
  const report = await eventually(
    () => server.call("GET", "/analytics/clicks?interval=all"),
    ({ status }) => status === 200,
  );
  return Clicks.parse(report.body).clicks;
}

/** The id of a server's store process; undefined while none runs. Works only on Linux. */
function storeProcess({ process: { pid } }: { process: { pid: number } }): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return children === "" ? undefined : Number(children.split(" ")[0]);
}

/** Kills a server's store process, if one runs. */
export function killStore(server: TestServer): void {
  const pid = storeProcess(server);
  if (pid === undefined) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended by itself since storeProcess.
  }
}

async function startFaulty(fault: FaultKind, random: Random): Promise<FaultyServer> {
  const tools = mkdtempSync(join(tmpdir(), "waypost-faults-"));
  const remove = () => rmSync(tools, { recursive: true });
  const library = fault === "full disk" ? undefined : compileFaults(tools);
  if (library?.kind === "refused") {
    remove();
    return library;
  }
  const server = await startServer(trusted);
  for (const key of keys) await server.call("POST", "/links", { body: { url: `https://example.com/${key}`, key } });
  await server.end("SIGTERM");
  if (fault === "full disk" || library === undefined) return await startOnSmallDisk(server, random, remove);
  const failing = library.below(join(server.data, "clicks.duckdb"));
  const faults = {
    // In half of the rounds every call fails, in the others some.
    begin: () => failing.begin(errnos[fault], random() < 0.5 ? 1_000 : Math.ceil(random() * 600)),
    end: failing.end,
    remove,
  };
  return { kind: "started", server: await server.restart({ ...trusted, ...failing.environment }), faults };
}

async function startOnSmallDisk(stopped: TestServer, random: Random, remove: () => void): Promise<FaultyServer> {
  const disk = moveOntoDisk(stopped.data, diskSize);
  if (disk.kind === "refused") {
    remove();
    await stopped.remove();
    return disk;
  }
  let filler = { free() {} };
  const faults = {
    begin() {
      filler = fillDisk(stopped.data, Math.floor(random() * 5) * pageBytes);
    },
    end: () => filler.free(),
    remove() {
      disk.unmount();
      remove();
    },
  };
  return { kind: "started", server: await stopped.restart(), faults };
}
