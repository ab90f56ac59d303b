/** A server with a probe in its event loop. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OperationName } from "../../src/admin/operations.ts";
import { callServer } from "../../src/admin/socket.ts";
import { readConfig } from "../../src/config.ts";
import { dataPaths } from "../../src/data-paths.ts";
import { ownerKey, startWaypost } from "./servers.ts";

/** A server with the probe. */
export type WatchedServer = {
  url: string;
  /** Sends a call as the owner, unless headers say otherwise, and reads the whole response. */
  call(request: WatchedCall): Promise<WatchedAnswer>;
  /** Runs an operation of the command line in the server. */
  operate(name: OperationName, input: unknown): Promise<void>;
  /** Returns the longest tick of the event loop since the last call, in milliseconds. */
  blockedMs(): Promise<number>;
  end(): Promise<void>;
};

/** A call; `path` includes the query. */
type WatchedCall = { method: string; path: string; headers?: Record<string, string>; body?: string };
/** `cookies` are the cookies that the response sets, in the form of a Cookie header. */
type WatchedAnswer = { status: number; text: string; cookies: string };

const waitMs = 5;
const waitsMax = 2_000;

/** Starts a server with the probe on a new data folder. */
export async function startWatched(): Promise<WatchedServer> {
  const data = mkdtempSync(join(tmpdir(), "waypost-benchmark-"));
  const file = join(data, "blocked-ms");
  const probe = join(import.meta.dir, "event-loop-probe.ts");
  const server = await startWaypost(data, { PROBE_FILE: file }, ["--preload", probe]);
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    async call({ method, path, headers, body }) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { Authorization: `Bearer ${ownerKey}`, "Content-Type": "application/json", ...headers },
        ...(body === undefined ? {} : { body }),
        redirect: "manual",
      });
      const { status } = response;
      const cookies = response.headers
        .getSetCookie()
        .map((cookie) => cookie.split(";")[0])
        .join("; ");
      if (response.headers.get("content-type") !== "text/event-stream") {
        return { status, text: await response.text(), cookies };
      }
      await response.body?.cancel();
      return { status, text: "", cookies };
    },
    async operate(name, input) {
      const { adminSocket } = dataPaths(readConfig({ WAYPOST_DATA: data }));
      const called = await callServer(adminSocket, name, input);
      if (called.kind === "noServer") throw new Error(`No server listens on ${adminSocket}.`);
    },
    async blockedMs() {
      rmSync(file, { force: true });
      process.kill(server.pid, "SIGUSR2");
      for (let waits = 0; waits < waitsMax && !existsSync(file); waits++) await Bun.sleep(waitMs);
      return Number(readFileSync(file, "utf8"));
    },
    async end() {
      await server.end();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
