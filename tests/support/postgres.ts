import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "pg";

const serverScript = fileURLToPath(new URL("./postgres-server.ts", import.meta.url));

/** A high limit, because a cold machine first reads 60 MB of binaries; about half a second is normal. */
const startMsMax = 60_000;

/** A real PostgreSQL server for tests. */
export type TestPostgres = {
  /** The connection URL of a database on this server, whether it exists or not. */
  url(databaseName: string): string;
  /**
   * Creates a database with a unique name and returns its connection URL. It is empty, or a copy of `template`, which
   * must have no connections.
   */
  createDatabase(template?: string): Promise<string>;
  /** Stops the server if this handle started it; else drops the databases that this handle created. */
  stop(): Promise<void>;
};

/**
 * The server that all test files of a run share: that of `node bin/test.mjs`, or one that this process starts.
 * Guarantee: stop() drops the databases created through this handle, and stops the server only if this call started it.
 */
export function sharedPostgres(): Promise<TestPostgres> {
  const runUrl = process.env.TEST_POSTGRES_URL;
  return runUrl ? Promise.resolve(attachPostgres(runUrl)) : startPostgres();
}

/** A server that no other test uses, with its data in `folder`, which can be stopped and started again. */
export type OwnPostgres = TestPostgres & {
  folder: string;
  interrupt(): Promise<void>;
  /** Ends the server like a crash. It loses no commit of a database with synchronous_commit. */
  kill(): Promise<void>;
  resume(): Promise<void>;
  /** Stops all processes of the server until `thaw`; does nothing to the sessions elsewhere than on Linux. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
};

/**
 * A separate server, with its data in `folder`.
 * Guarantee: stop() ends the server and removes the folder, and so does any end of this process, even by SIGKILL.
 * Throws Error when PostgreSQL does not start; its messages go to standard error.
 */
export async function startPostgres(): Promise<OwnPostgres> {
  // In a separate session, Ctrl-C in a terminal does not reach the server. The server ends with its standard input.
  const server = spawn(process.execPath, [serverScript], { stdio: ["pipe", "pipe", "inherit"], detached: true });
  const exited = once(server, "exit");
  const stop = async () => {
    server.stdin.end();
    await exited;
  };
  const deadline = setTimeout(() => server.kill("SIGTERM"), startMsMax);
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value ?? "");
  const line = await nextLine();
  clearTimeout(deadline);
  if (line === "") {
    await stop();
    throw new Error("The test PostgreSQL did not start; its messages are above.");
  }
  server.unref();
  const { url, folder }: { url: string; folder: string } = JSON.parse(line);
  const command = async (word: "stop" | "kill" | "start" | "freeze" | "thaw") => {
    server.stdin.write(`${word}\n`);
    if ((await nextLine()) !== word) throw new Error(`The test PostgreSQL did not ${word}; its messages are above.`);
  };
  return {
    ...attachPostgres(url),
    stop,
    folder,
    interrupt: () => command("stop"),
    kill: () => command("kill"),
    resume: () => command("start"),
    freeze: () => command("freeze"),
    thaw: () => command("thaw"),
  };
}

function attachPostgres(serverUrl: string): TestPostgres {
  const created: string[] = [];
  const url = (databaseName: string) => {
    const result = new URL(serverUrl);
    result.pathname = `/${databaseName}`;
    return result.href;
  };
  const createDatabase = async (template = "template0") => {
    const name = `test_${randomUUID().replaceAll("-", "")}`;
    // template0, because a session in template1 would make the statement fail. file_copy took 32 ms, and the default
    // strategy 215 ms.
    await execute(serverUrl, [`create database ${name} template ${template} strategy file_copy`]);
    created.push(name);
    return url(name);
  };
  const stop = () =>
    execute(
      serverUrl,
      created.splice(0).map((name) => `drop database if exists ${name} with (force)`),
    );
  return { url, createDatabase, stop };
}

async function execute(url: string, statements: string[]): Promise<void> {
  if (statements.length === 0) return;
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000, statement_timeout: 30_000 });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
