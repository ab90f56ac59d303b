import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dataPaths } from "../../src/data-paths.ts";
import type { Engine } from "../../src/database/engine.ts";
import { sharedPostgres } from "./postgres.ts";
import { beginPostgres, beginSqlite } from "./templates.ts";

/** The owner's key of every test server. */
export const ownerKey = "test_owner_key_0123456789_abcdef";
/** Headers of a visit that counts as a person's. */
export const browser = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0" };
const startMaxMs = 60_000;
/** What a server runs: the bundle of this test run, or the sources where a file is run without `node bin/test.mjs`. */
const mainFile = process.env.TEST_WAYPOST_MAIN ?? join(import.meta.dir, "../../src/main.ts");
/** Of servers whose passwords cost as much as a service's, for tests of the load that they make. */
export const usualPasswordCost: Environment = { TEST_PASSWORD_COST: "usual" };
const preload = ["--preload", join(import.meta.dir, "cheap-passwords.ts")];

export type Environment = Record<string, string>;

/** What an API call came back with. */
export type Answer = { status: number; headers: Headers; body: unknown };

export type CallOptions = { key?: string; body?: unknown; headers?: Record<string, string> };

/** A real server in a separate process, on its own data folder and a free port. */
export type TestServer = {
  readonly url: string;
  readonly data: string;
  readonly environment: Environment;
  readonly process: Bun.Subprocess<"ignore", "pipe", "pipe">;
  /** What it has written to standard output and standard error so far. */
  output(): string;
  /** Calls the API as the owner, or with another key. `path` is below /v1. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Asks as a visitor would: redirects are not followed, and `host` is the Host header. */
  visit(
    path: string,
    options?: { host?: string; method?: string; headers?: Record<string, string> },
  ): Promise<Response>;
  /** Sends a signal and resolves with the exit code, or the name of the signal it died of. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number | string>;
  /** Starts again on the same data, as after a crash. The port is a new one. */
  restart(environment?: Environment): Promise<TestServer>;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
};

/** Starts a server with nothing in it yet, on a new data folder, and resolves when it answers. */
export async function startServer(environment: Environment = {}, engine: Engine = "sqlite"): Promise<TestServer> {
  const data = mkdtempSync(join(tmpdir(), "waypost-test-"));
  if (engine === "sqlite") {
    beginSqlite(dataPaths({ WAYPOST_DATA: data }).sqlite);
    return await start(data, environment, () => Promise.resolve());
  }
  const postgres = await sharedPostgres();
  const url = await beginPostgres(postgres);
  return await start(data, { ...environment, WAYPOST_DATABASE_URL: url }, () => postgres.stop());
}

/** Starts a server for as long as `use` takes. */
export async function withServer(environment: Environment, use: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer(environment);
  try {
    await use(server);
  } finally {
    await server.remove();
  }
}

/** Environment of every test server; WAYPOST_ names of the machine do not leak in. */
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
    ...environment,
  };
}

/**
 * How a test starts a process: in a separate session, as a service runs. Threads of ours step back behind
 * visitors; on Linux that holds within a session, and in the tests' own one they would step back behind all tests.
 */
export const ownSession = { detached: true } as const;

/** A command of the program: killed together with the test, since no terminal's Ctrl-C reaches another session. */
export function programCommand(...args: string[]): string[] {
  return [process.execPath, "--no-orphans", "--no-install", ...preload, mainFile, ...args];
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
  void collect(child.stdout, output);
  void collect(child.stderr, output);
  const url = `http://127.0.0.1:${await readyPort(child, output)}`;

  async function end(signal: "SIGTERM" | "SIGKILL"): Promise<number | string> {
    child.kill(signal);
    await child.exited;
    return child.signalCode ?? child.exitCode ?? -1;
  }
  return {
    url,
    data,
    environment,
    process: child,
    output: () => output.text,
    call: (method, path, options = {}) => callApi(url, method, path, options),
    visit: (path, { host = "localhost", method = "GET", headers = {} } = {}) =>
      fetch(url + path, { method, headers: { Host: host, ...headers }, redirect: "manual" }),
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

/** The port, from the server's own words that it is ready. */
async function readyPort(child: Bun.Subprocess, output: { text: string }): Promise<number> {
  const deadline = Date.now() + startMaxMs;
  while (Date.now() < deadline) {
    const port = /Waypost is ready at .* \(port (\d+)\)/.exec(output.text)?.[1];
    if (port !== undefined) return Number(port);
    if (child.exitCode !== null)
      throw new Error(`The server did not start (exit code ${child.exitCode}):\n${output.text}`);
    await Bun.sleep(10);
  }
  child.kill("SIGKILL");
  throw new Error(`The server was not ready within ${startMaxMs} ms:\n${output.text}`);
}

async function callApi(url: string, method: string, path: string, { key = ownerKey, body, headers = {} }: CallOptions) {
  const response = await fetch(`${url}/v1${path}`, {
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
 * Asks again until `isDone`, for what the service promises to happen soon: how soon is what benchmarks tell, and on a
 * busy machine it may take a while. Fails with the last answer.
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
