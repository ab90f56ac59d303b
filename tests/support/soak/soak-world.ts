/**
 * The server of a soak test, its disk, its clock and its name server.
 *
 * 1. Everything is below one folder: the data, temporary files, backups, the libraries. `close` ends every process that
 *    this started, by its id, and removes the folder.
 * 2. A disturbance is a window from its begin until the server has recovered. Failed responses and lines at level error
 *    are violations outside these windows.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { metric } from "../counted-once.ts";
import { ownerPassword } from "../dashboard.ts";
import { type DnsServer, startDnsServer } from "../dns-server.ts";
import { childrenOf, isAlive, processesOf } from "../processes.ts";
import { type Environment, eventually, programCommand, startOn, type TestServer } from "../server.ts";
import { mountDisk } from "../small-disk.ts";
import { openShiftedClock, type ShiftedClock } from "./shifted-clock.ts";
import type { SoakRecord } from "./soak-record.ts";

/** Redirect workers of the server. */
const workersCount = 2;
/** More than a free GiB, which exports require. */
const diskSize = "1536m";
/** At the end, `doctor` requires a free GiB. */
const roomySize = "4g";
const recoveryMsMax = 120_000;
const startsMax = 60;
const logLineMax = 400;
const startPauseMs = 1_000;
/** Some responses arrive after the recovery. */
const afterglowMs = 5_000;
/** A log line may count the equal lines of the ten seconds before it. */
const repeatedLogMs = 11_000;

/** The server under test, with everything that can be disturbed. */
export class SoakWorld {
  readonly folder: string;
  readonly record: SoakRecord;
  readonly dns: DnsServer;
  readonly clock: ShiftedClock | undefined;
  /** True when the data is on a small disk, which can be filled. */
  readonly hasSmallDisk: boolean;
  readonly environment: Environment;
  readonly #disk: ReturnType<typeof mountDisk>;
  #server: TestServer | undefined;
  #active = new Set<string>();
  #quietSince = 0;
  #isExpectedToEnd = false;
  #logged = 0;

  private constructor(record: SoakRecord, folder: string, dns: DnsServer) {
    this.record = record;
    this.folder = folder;
    this.dns = dns;
    for (const name of ["tmp", "backups"]) mkdirSync(join(folder, name));
    const clock = openShiftedClock(folder);
    if (clock.kind === "refused") record.note(`The clock is not changed: ${clock.reason}`);
    this.clock = clock.kind === "shifted" ? clock : undefined;
    this.#disk = mountDisk(this.data, diskSize);
    if (this.#disk.kind === "refused") record.note(`The disk is not filled: ${this.#disk.reason}`);
    this.hasSmallDisk = this.#disk.kind === "mounted";
    this.environment = {
      ...ownerPassword,
      ...this.clock?.environment,
      TMPDIR: join(folder, "tmp"),
      WAYPOST_WORKERS: String(workersCount),
      WAYPOST_TRUSTED_PROXIES: "127.0.0.1,::1",
      WAYPOST_RESOLVERS: dns.address,
    };
  }

  /** Starts the server on an empty data folder. */
  static async open(record: SoakRecord): Promise<SoakWorld> {
    const world = new SoakWorld(record, mkdtempSync(join(tmpdir(), "waypost-soak-")), await startDnsServer());
    try {
      await world.start();
      return world;
    } catch (error) {
      await world.close({ keep: false });
      throw error;
    }
  }

  get data(): string {
    return join(this.folder, "data");
  }

  /** The running server. Throws between an end and the next start. */
  get server(): TestServer {
    if (this.#server === undefined) throw new Error("The server does not run at the moment.");
    return this.#server;
  }

  /** The URL of the running server; undefined between an end and the next start. */
  get url(): string | undefined {
    return this.#server?.url;
  }

  /** The time on the server's clock, in milliseconds since the epoch. */
  now(): number {
    return this.clock?.now() ?? Date.now();
  }

  /**
   * Starts the server again, on the same data. Tries again while a command uses the folder: one that found no server,
   * such as a backup, locks it.
   */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        this.#server = await startOn(this.data, programCommand("serve"), this.environment);
        break;
      } catch (error) {
        if (attempt === startsMax || !String(error).includes("in use by another Waypost")) throw error;
        this.record.count("starts while a command used the folder");
        await Bun.sleep(startPauseMs);
      }
    }
    this.#logged = 0;
    this.#isExpectedToEnd = false;
  }

  /** Ends the server with a signal; returns its exit code or the signal that ended it. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<number | string> {
    this.#isExpectedToEnd = true;
    const { server } = this;
    const { main, workers } = processesOf(server);
    const ended = await server.end(signal);
    await eventually(
      async () => [main, ...workers].some(isAlive),
      (isAny) => !isAny,
    );
    this.readLog();
    this.#server = undefined;
    return ended;
  }

  /** The ids of the server's processes, by what they do. The store's id is undefined while it restarts. */
  processes(): { main: number; store: number | undefined; workers: number[] } {
    const { main, workers } = processesOf(this.server);
    return { main, workers, store: childrenOf(main)[0] };
  }

  /** Makes the disk large enough for the checks at the end. */
  enlargeDisk(): void {
    if (this.#disk.kind === "mounted") this.#disk.grow(roomySize);
  }

  /** Runs a disturbance, and waits until the server has recovered. */
  async disturb(name: string, run: () => Promise<void>): Promise<void> {
    this.#active.add(name);
    this.record.count(`disturbance: ${name}`);
    try {
      await run();
      await this.recovered();
    } finally {
      this.#active.delete(name);
      this.#quietSince = performance.now() + afterglowMs;
    }
  }

  /** True if a disturbance has been active at any time since `since`, a time of performance.now(). */
  wasDisturbed(since: number): boolean {
    return this.#active.size > 0 || since < this.#quietSince;
  }

  /** True while this disturbance is active. */
  isActive(name: string): boolean {
    return this.#active.has(name);
  }

  /** Resolves when the server answers and has read most of its spools; records a violation if it never does. */
  async recovered(): Promise<void> {
    /** What has not recovered; undefined when everything has. */
    const missing = async (): Promise<string | undefined> => {
      try {
        const { server } = this;
        const ready = await server.visit("/readyz");
        if (ready.status !== 200) return `/readyz: ${ready.status} ${await ready.text()}`;
        const { status, body } = await server.call("GET", "/analytics/clicks?interval=24h");
        if (status !== 200) return `analytics: ${status} ${JSON.stringify(body)}`;
        const up = await metric(server, "waypost_worker_up");
        if (up.length === workersCount && up.every((value) => value === 1)) return undefined;
        return `waypost_worker_up: ${up.join(", ")}`;
      } catch (error) {
        // Starting, or a connection ended with a killed process.
        return String(error);
      }
    };
    await eventually(missing, (value) => value === undefined, recoveryMsMax).catch((error: unknown) =>
      this.record.violate("the server recovers after a disturbance", String(error)),
    );
  }

  /** Checks the lines that the server has logged since the last call. */
  readLog(): void {
    const server = this.#server;
    if (server === undefined) return;
    const output = server.output();
    const end = output.lastIndexOf("\n") + 1;
    const lines = output.slice(this.#logged, end).split("\n");
    this.#logged = end;
    for (const line of lines.filter((text) => text.includes('"level":"error"'))) {
      const message = /"message":"([^"]*)"/.exec(line)?.[1] ?? line;
      // Some messages end with a count.
      const name = `logged: ${message.split(/[;:] clicks dropped| for \d/)[0]}`;
      if (this.record.of(name) === 0) this.record.note(`first of its kind: ${line.slice(0, logLineMax)}`);
      this.record.count(name);
      const isExpected =
        this.wasDisturbed(performance.now() - repeatedLogMs) && !neverExpected.some((text) => message.includes(text));
      if (!isExpected) this.record.violate("no unexpected line at level error", line);
    }
    const { exitCode, signalCode } = server.process;
    if (this.#isExpectedToEnd || (exitCode === null && signalCode === null)) return;
    this.#isExpectedToEnd = true;
    this.record.violate("the server ends only when it is told to", { exitCode, signalCode, last: output.slice(-600) });
  }

  /** Ends everything, and removes the folder unless `keep` is set. */
  async close({ keep }: { keep: boolean }): Promise<void> {
    const server = this.#server;
    if (server !== undefined) {
      if (server.process.exitCode === null && server.process.signalCode === null) await server.end("SIGKILL");
    }
    await this.dns.close();
    if (keep) {
      this.record.note(`Kept ${this.folder}`);
      return;
    }
    if (this.#disk.kind === "mounted") this.#disk.unmount();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** TABLE of messages that no disturbance here explains: nothing damages files, and no certificate is used. */
const neverExpected = ["damaged", "certificate", "could not be built", "no frame"];
