import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dataPaths } from "../../src/data-paths.ts";
import type { Engine } from "../../src/database/engine.ts";
import { openClickHouse } from "../clickhouse/clickhouse.ts";
import { sharedPostgres } from "./postgres.ts";
import { copySqliteTemplate, createPostgresDatabase } from "./templates.ts";

/** The owner's key of every test server. */
export const ownerKey = "test_owner_key_0123456789_abcdef";
/** Headers of a visit that counts as a human's. */
export const browser = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0" };
const startMaxMs = 60_000;
/** The program of servers: the bundle of this test run, or the sources in a run without `node bin/test.mjs`. */
const mainFile = process.env.TEST_WAYPOST_MAIN ?? join(import.meta.dir, "../../src/main.ts");
/** The environment of servers whose passwords have the cost of a real service, for tests of their load. */
export const usualPasswordCost: Environment = { TEST_PASSWORD_COST: "usual" };
/**
 * The environment of servers whose hashes take many times as long as a request, for tests of what a load of hashes delays.
 * They take a fifth of the processor time of hashes with the usual cost.
 */
export const lowerPasswordCost: Environment = { TEST_PASSWORD_COST: "lower" };
/** The runtime's arguments that start the program; those of the program follow. */
export const programFlags: readonly string[] = [
  ...["--no-orphans", "--no-install"],
  ...["--preload", join(import.meta.dir, "cheap-passwords.ts"), mainFile],
];

export type Environment = Record<string, string>;

/** The response of an API call. */
export type Answer = { status: number; headers: Headers; body: unknown };

export type CallOptions = { key?: string; body?: unknown; headers?: Record<string, string> };

/** A running service with a separate data folder and a free port, in the process of the tests or in a separate one. */
export type TestService = {
  readonly url: string;
  readonly data: string;
  readonly environment: Environment;
  /** The log so far, and of a separate process its standard output, too. */
  output(): string;
  /** Calls the API as the owner, or with another key. `path` is below /v1. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Sends a visitor's request. It does not follow redirects; `host` is the Host header. */
  visit(
    path: string,
    options?: { host?: string; method?: string; headers?: Record<string, string> },
  ): Promise<Response>;
  /** Ends the service and removes its data. */
  remove(): Promise<void>;
};

/** A service in a separate process, as users run it. */
export type TestServer = TestService & {
  readonly process: Bun.Subprocess<"ignore", "pipe", "pipe">;
  /** Sends a signal and resolves with the exit code, or with the name of the signal that ended the server. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number | string>;
  /** Starts again on the same data, as after a crash, on a new port. */
  restart(environment?: Environment): Promise<TestServer>;
};

/**
 * Starts a server with an empty data folder, and resolves when it answers. Tests that neither end the process nor look
 * at it use startService, which takes a fifth of the processor time.
 */
export async function startServer(environment: Environment = {}, engine: Engine = "sqlite"): Promise<TestServer> {
  const databases = await openDatabases(engine);
  return await start(databases.data, { ...databases.environment, ...environment }, databases.release);
}

/** Creates an empty data folder with a migrated database. `release` removes what is outside the folder. */
export async function openDatabases(
  engine: Engine,
): Promise<{ data: string; environment: Environment; release(): Promise<void> }> {
  const data = mkdtempSync(join(tmpdir(), "waypost-test-"));
  if (engine === "sqlite") {
    copySqliteTemplate(dataPaths({ WAYPOST_DATA: data }).sqlite);
    return { data, environment: {}, release: async () => {} };
  }
  const postgres = await sharedPostgres();
  const url = await createPostgresDatabase(postgres);
  const clicks = await clicksDatabase();
  return {
    data,
    environment: { ...clicks.environment, WAYPOST_DATABASE_URL: url },
    async release() {
      await clicks.drop();
      await postgres.stop();
    },
  };
}

/** A database for clicks in a tier whose clicks are in ClickHouse. */
async function clicksDatabase(): Promise<{ environment: Environment; drop(): Promise<void> }> {
  if (process.env.TEST_CLICKHOUSE_URL === undefined) return { environment: {}, drop: async () => {} };
  const { createDatabase, dropDatabase } = await openClickHouse();
  const url = await createDatabase();
  return {
    environment: {
      ...{ WAYPOST_CLICKS_URL: url, WAYPOST_CLICKS_INTERVAL_MS: "250" },
      WAYPOST_SECRET: "a-secret-of-all-nodes-with-32-characters",
    },
    drop: () => dropDatabase(url),
  };
}

/** Starts a server, and removes it after `use`. */
export async function withServer(environment: Environment, use: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer(environment);
  try {
    await use(server);
  } finally {
    await server.remove();
  }
}

/** The environment of every test server, without the machine's WAYPOST_ variables. */
export function serverEnvironment(data: string, environment: Environment): Environment {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("WAYPOST_"));
  return {
    ...Object.fromEntries(inherited.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    WAYPOST_DATA: data,
    WAYPOST_PORT: "0",
    WAYPOST_HOST: "127.0.0.1",
    // Nothing listens there, so no test uses the machine's resolvers.
    WAYPOST_RESOLVERS: "127.0.0.1:9",
    WAYPOST_BOOTSTRAP_EMAIL: "owner@example.com",
    WAYPOST_BOOTSTRAP_API_KEY: ownerKey,
    // Without a password, because hashing takes a fifth of the start. Tests that sign in set ownerPassword.
    WAYPOST_BOOTSTRAP_PASSWORD: "",
    // Suites send more requests than a client; tests of limits set their own.
    WAYPOST_RATE_LIMIT_PER_MINUTE: "1000000",
    // Tests sign administrators in with a password alone; tests of this requirement turn it on.
    WAYPOST_ADMINISTRATORS_NEED_SECOND_FACTOR: "false",
    ...environment,
  };
}

/**
 * Options with which a test starts a process: in a separate session, like a service. Some of our threads have a lower
 * priority than those that answer visitors. On Linux, priorities apply within a session, so in the tests' session these
 * threads would have a lower priority than all tests.
 */
export const ownSession = { detached: true } as const;

/** A command of the program. It ends with the test, because Ctrl-C in a terminal does not reach another session. */
export function programCommand(...args: string[]): string[] {
  return [process.execPath, ...programFlags, ...args];
}

/** Starts a server on an existing data folder with the given command; removing the server removes the folder. */
export async function startOn(data: string, command: string[], environment: Environment = {}): Promise<TestServer> {
  return await start(data, environment, async () => {}, command);
}

async function start(
  data: string,
  environment: Environment,
  release: () => Promise<void>,
  command = programCommand("serve"),
): Promise<TestServer> {
  const child = Bun.spawn(command, {
    ...ownSession,
    env: serverEnvironment(data, environment),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const output = { text: "" };
  const collected = Promise.all([collect(child.stdout, output), collect(child.stderr, output)]);
  const port = await readyPort(child, output, collected);
  const url = `http://${environment["WAYPOST_HOST"] ?? "127.0.0.1"}:${port}`;

  async function end(signal: "SIGTERM" | "SIGKILL"): Promise<number | string> {
    child.kill(signal);
    await child.exited;
    return child.signalCode ?? child.exitCode ?? -1;
  }
  const client = clientOf(url);
  return {
    url,
    data,
    environment,
    process: child,
    output: () => output.text,
    ...client,
    async call(...request) {
      try {
        return await client.call(...request);
      } catch (error) {
        throw new Error(`The server did not answer ${request[0]} ${request[1]}; it wrote:\n${output.text}`, {
          cause: error,
        });
      }
    },
    end,
    async restart(changed = environment) {
      if (child.exitCode === null && child.signalCode === null) await end("SIGKILL");
      return await start(data, changed, release, command);
    },
    async remove() {
      if (child.exitCode === null && child.signalCode === null) await end("SIGKILL");
      rmSync(data, { recursive: true, force: true });
      await release();
    },
  };
}

async function collect(stream: ReadableStream<Uint8Array>, output: { text: string }): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) output.text += decoder.decode(chunk, { stream: true });
}

/** How long the rest of an ended server's output may take; a process that it started may keep a pipe open. */
const lastOutputMaxMs = 5_000;

/** The port in the server's line about being ready. `collected` resolves when its output has ended. */
async function readyPort(
  child: Bun.Subprocess,
  output: { text: string },
  collected: Promise<unknown>,
): Promise<number> {
  const deadline = Date.now() + startMaxMs;
  while (Date.now() < deadline) {
    const port = /Waypost (?:is ready|redirects) at .* \(port (\d+)\)/.exec(output.text)?.[1];
    if (port !== undefined) return Number(port);
    if (child.exitCode !== null) {
      await Promise.race([collected, Bun.sleep(lastOutputMaxMs)]);
      throw new Error(`The server did not start (exit code ${child.exitCode}):\n${output.text}`);
    }
    await Bun.sleep(10);
  }
  child.kill("SIGKILL");
  throw new Error(`The server was not ready within ${startMaxMs} ms:\n${output.text}`);
}

/** Requests to a service at this URL. */
export function clientOf(url: string): Pick<TestService, "call" | "visit"> {
  return {
    call: (method, path, options = {}) => callApi(url, method, path, options),
    visit: (path, { host = "localhost", method = "GET", headers = {} } = {}) =>
      fetch(url + path, { method, headers: { Host: host, ...headers }, redirect: "manual" }),
  };
}

async function callApi(url: string, method: string, path: string, { key = ownerKey, body, headers = {} }: CallOptions) {
  const response = await fetch(`${url}/v1${path}`, {
    ...connectionFor(method),
    method,
    headers: {
      ...(key === "" ? {} : { Authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

/**
 * The options of fetch for a connection that cannot be idle: a new one, except for a GET. The server closes idle
 * connections after half a minute. When a request crosses with the close, the client repeats a GET. It does not repeat a
 * POST, because the server may have received it, so a test with such a pause would fail.
 */
export function connectionFor(method: string): { keepalive: boolean } {
  return { keepalive: method === "GET" };
}

/**
 * Repeats `ask` until `isDone`, for effects that the service promises to happen soon. Benchmarks measure how soon; on a
 * busy machine it may take a while. After the timeout, it fails with the last answer.
 */
export async function eventually<Value>(
  ask: () => Promise<Value>,
  isDone: (value: Value) => boolean,
  timeoutMs = 60_000,
): Promise<Value> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await ask();
    if (isDone(value)) return value;
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms; the last answer: ${JSON.stringify(value)}`);
    await Bun.sleep(25);
  }
}
