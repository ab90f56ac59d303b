import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { randomClicks, seededRandom } from "./clicks.ts";
import { eventually, ownerKey, startServer, type TestServer } from "./server.ts";
import { insertClicks } from "./store-clicks.ts";
import { newTenant } from "./tenants.ts";

/** The clicks of the second workspace: far more than all buffers between the store and a client hold. */
export const manyClicks = 80_000;
/** The time of a test that exports them. */
export const exportMsMax = 60_000;

/** A server with 1,500 clicks in the first workspace and `manyClicks` in a second one. */
export type ExportWorld = Awaited<ReturnType<typeof openExportWorld>>;

/** Starts the server. A test that ends it assigns a restarted one. */
export async function openExportWorld() {
  const { server, manyKey } = await startWithClicks();
  const world = {
    server,
    /** The API key of the second workspace. */
    manyKey,
    ask(query: string, { method = "GET", key = ownerKey, headers = {} } = {}): Promise<Response> {
      return fetch(`${world.server.url}/v1/events/export?${query}`, {
        method,
        headers: { ...(key === "" ? {} : { Authorization: `Bearer ${key}` }), ...headers },
      });
    },
    askHttp10: (query: string, onStart?: () => Promise<unknown>) => askHttp10(world.server, manyKey, query, onStart),
    /** Waits until the files of ended exports are removed. */
    async expectNoFiles(): Promise<void> {
      const files = async () => readdirSync(join(world.server.data, "exports"));
      await eventually(files, (names) => names.length === 0, exportMsMax);
    },
  };
  return world;
}

async function startWithClicks(): Promise<{ server: TestServer; manyKey: string }> {
  const first = await startServer();
  const { apiKey: manyKey, workspaceId: manyId } = await newTenant(first);
  const [domain] = z.array(z.object({ id: z.string() })).parse((await first.call("GET", "/domains")).body);
  await first.end("SIGTERM");
  const random = seededRandom(20261123);
  const june = { from: Date.UTC(2026, 5, 1), to: Date.UTC(2026, 5, 4) };
  const own = [
    ...randomClicks(random, 900, june, { workspaceId: 1 }),
    ...randomClicks(random, 600, { from: Date.now() - 20 * 86_400_000, to: Date.now() }, { workspaceId: 1 }),
  ].map((click) => (click.domainId === "dom_a" ? { ...click, domainId: domain?.id ?? "" } : click));
  const many = randomClicks(random, manyClicks, june, { workspaceId: manyId, bot: "" });
  await insertClicks(first.data, own, many);
  return { server: await first.restart(), manyKey };
}

/**
 * Requests an export as an HTTP/1.0 client, such as nginx with its default settings; returns head and body. Calls
 * `onStart` once the first bytes have arrived, and before it reads them.
 */
async function askHttp10(
  server: TestServer,
  key: string,
  query: string,
  onStart: () => Promise<unknown> = async () => {},
): Promise<[string, Buffer]> {
  const { port, hostname } = new URL(server.url);
  const bytes: Buffer[] = [];
  const client = connect(Number(port), hostname);
  const ended = new Promise<void>((resolve) => client.on("close", () => resolve()).on("error", () => {}));
  const isAnswered = new Promise<void>((resolve) => client.once("readable", () => resolve()));
  client.write(`GET /v1/events/export?${query} HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  await Promise.race([isAnswered, ended]);
  await onStart();
  client.on("data", (part: Buffer) => bytes.push(part));
  await ended;
  const all = Buffer.concat(bytes);
  const headEnd = all.indexOf("\r\n\r\n") + 4;
  return [all.subarray(0, headEnd).toString("latin1"), all.subarray(headEnd)];
}

/** The length that the head of a response announces. */
export const lengthIn = (head: string) => Number(/\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1]);
