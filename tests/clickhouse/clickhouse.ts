import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createClient } from "@clickhouse/client";
import type { Fault } from "./faults.ts";

const bridgeScript = fileURLToPath(new URL("./bridge.ts", import.meta.url));

/** A ClickHouse for tests. */
export type TestClickHouse = {
  /** Creates an empty database, and returns its URL. */
  createDatabase(): Promise<string>;
  dropDatabase(url: string): Promise<void>;
  stop(): Promise<void>;
};

/** A ClickHouse that no other test uses: the bridge, which can be killed, started again, and made to fail. */
export type OwnClickHouse = TestClickHouse & {
  /** The URL of the default database. */
  url: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Arms faults, and returns how many have not been hit yet. */
  arm(...faults: Fault[]): Promise<number>;
};

/** The ClickHouse of TEST_CLICKHOUSE_URL, whose user may create databases; otherwise the bridge. */
export async function openClickHouse(): Promise<TestClickHouse> {
  const url = process.env.TEST_CLICKHOUSE_URL;
  return url === undefined ? await startClickHouse() : { ...databasesOf(() => url), stop: async () => {} };
}

/** Starts the bridge with an empty folder. */
export async function startClickHouse(): Promise<OwnClickHouse> {
  const folder = mkdtempSync(join(tmpdir(), "waypost-clickhouse-"));
  const password = randomUUID();
  let bridge = await startBridge(folder, password, "0");
  const { url } = bridge;
  const { port } = new URL(url);
  const stop = async () => {
    await bridge.end("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return {
    ...databasesOf(() => url),
    url,
    stop,
    kill: () => bridge.end("SIGKILL"),
    async start() {
      bridge = await startBridge(folder, password, port);
    },
    freeze: () => bridge.signal("SIGSTOP"),
    thaw: () => bridge.signal("SIGCONT"),
    async arm(...faults) {
      const url = new URL("/faults", `http://127.0.0.1:${port}`);
      return Number(await (await fetch(url, { method: "POST", body: JSON.stringify(faults) })).text());
    },
  };
}

async function startBridge(folder: string, password: string, port: string) {
  const bridge = spawn(process.execPath, [bridgeScript, folder, port], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, TEST_CLICKHOUSE_PASSWORD: password },
  });
  const exited = once(bridge, "exit");
  const { value } = await createInterface({ input: bridge.stdout })[Symbol.asyncIterator]().next();
  if (value === undefined) {
    throw new Error("ClickHouse for tests did not start: run `npm ci --prefix tests/clickhouse --ignore-scripts`.");
  }
  const { url }: { url: string } = JSON.parse(value);
  return {
    url,
    signal(signal: NodeJS.Signals) {
      bridge.kill(signal);
    },
    async end(signal: NodeJS.Signals) {
      bridge.kill(signal);
      await exited;
    },
  };
}

function databasesOf(server: () => string): Pick<TestClickHouse, "createDatabase" | "dropDatabase"> {
  const command = async (query: string) => {
    const client = createClient({ url: server() });
    await client.command({ query });
    await client.close();
  };
  return {
    async createDatabase() {
      const url = new URL(server());
      const name = `test_${randomUUID().replaceAll("-", "")}`;
      url.pathname = `/${name}`;
      await command(`CREATE DATABASE ${name}`);
      return url.href;
    },
    // Without SYNC, for which the library of 26.5 waits forever.
    dropDatabase: (url) => command(`DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)}`),
  };
}
