/**
 * Runs one ClickHouse for tests, as a separate process: `bun tests/clickhouse/bridge.ts FOLDER [PORT]`.
 *
 * The packages of chdb on npm and PyPI have the engine without its server (open-engine.ts). This process answers
 * ClickHouse's HTTP interface as far as @clickhouse/client uses it: queries, parameters (in the URL or as
 * multipart/form-data), settings, the bodies of inserts, formats, compression, error codes, /ping.
 *
 * 1. It prints one line, { url }, when it accepts requests. The URL has a random password unless TEST_CLICKHOUSE_PASSWORD
 *    sets one.
 * 2. It runs as long as its standard input is open, and SIGKILL is a crash of ClickHouse: what was inserted is in FOLDER.
 * 3. POST /faults arms faults (faults.ts) that the next requests hit, in order.
 */
import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { type Fault, faultOf } from "./faults.ts";
import { openEngine } from "./open-engine.ts";
import type { Statement } from "./statement.ts";

/** Bytes of a request's body. A batch of clicks takes about 10 MB. */
const bodyBytesMax = 256 * 1024 ** 2;
/** Faults that are armed at once. */
const faultsMax = 100;

/** Names in a URL that are settings of ClickHouse's HTTP server, not of its engine. */
const serverSettings = new Set([
  ...["database", "query", "query_id", "session_id", "role", "default_format", "wait_end_of_query"],
  ...["send_progress_in_http_headers", "http_headers_progress_interval_ms", "enable_http_compression"],
]);

const [folder, port = "0"] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: bun tests/clickhouse/bridge.ts FOLDER [PORT]");
const user = "waypost";
const password = process.env.TEST_CLICKHOUSE_PASSWORD ?? randomBytes(16).toString("hex");
const faults: Fault[] = [];
let nextExecuted = Promise.withResolvers<void>();
const engine = await openEngine(folder);

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  idleTimeout: 0,
  development: false,
  maxRequestBodySize: bodyBytesMax,
  fetch: answer,
});
console.log(JSON.stringify({ url: `http://${user}:${password}@127.0.0.1:${server.port}/default` }));
process.stdin.on("end", () => process.exit(0)).resume();

async function answer(request: Request): Promise<Response> {
  const url = new URL(request.url);
  if (url.pathname === "/ping") return new Response("Ok.\n");
  if (url.pathname === "/faults") {
    const armed: Fault[] = JSON.parse(await request.text());
    faults.push(...armed);
    if (faults.length > faultsMax) throw new Error(`More than ${faultsMax} faults are armed.`);
    return new Response(String(faults.length));
  }
  if (!isAuthorized(request)) {
    return failed("Code: 516. DB::Exception: waypost: Authentication failed. (AUTHENTICATION_FAILED)", 403);
  }
  const statement = await readRequest(request, url);
  const fault = faultOf(faults, statement.sql);
  if (fault === "refuse") return broken();
  if (fault === "deny") {
    return failed("Code: 497. DB::Exception: waypost: Not enough privileges. (ACCESS_DENIED)", 403);
  }
  if (fault === "executeTwice") await execute(statement);
  if (fault === "executeAfterNext") await nextExecuted.promise;
  const response = await execute(statement);
  nextExecuted.resolve();
  nextExecuted = Promise.withResolvers();
  if (fault === "dieAfter") process.kill(process.pid, "SIGKILL");
  if (fault === "dropAnswer") return broken();
  return compressed(request, url, response);
}

function isAuthorized({ headers }: Request): boolean {
  const basic = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  return (
    headers.get("authorization") === basic ||
    (headers.get("x-clickhouse-user") === user && headers.get("x-clickhouse-key") === password)
  );
}

/** The statement with its data, its settings, and its parameters, from the URL and the body. */
async function readRequest(request: Request, url: URL): Promise<Statement> {
  const names = [...url.searchParams];
  let body = "";
  if (request.headers.get("content-type")?.startsWith("multipart/form-data")) {
    for (const [name, value] of await request.formData()) {
      if (typeof value !== "string") throw new Error("External tables are not supported.");
      names.push([name, value]);
    }
  } else {
    const bytes = Buffer.from(await request.arrayBuffer());
    body = String(request.headers.get("content-encoding") === "gzip" ? gunzipSync(bytes) : bytes);
  }
  const query = names.find(([name]) => name === "query")?.[1];
  const database = names.find(([name]) => name === "database")?.[1] ?? "default";
  const parameters = Object.fromEntries(
    names.flatMap(([name, value]) => (name.startsWith("param_") ? [[name.slice("param_".length), value]] : [])),
  );
  const settings = names.filter(([name]) => !serverSettings.has(name) && !name.startsWith("param_"));
  return { sql: query === undefined ? body : `${query}\n${body}`, database, settings, parameters };
}

async function execute(statement: Statement): Promise<Response> {
  try {
    return new Response(await engine.run(statement), { headers: { "x-clickhouse-summary": "{}" } });
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error), 500);
  }
}

function failed(message: string, status: number): Response {
  const code = /^Code: (\d+)/.exec(message)?.[1] ?? "0";
  return new Response(`${message}\n`, { status, headers: { "x-clickhouse-exception-code": code } });
}

/** A response that breaks before its first byte of content, as of a server that ends. */
function broken(): Response {
  const stream = new ReadableStream({
    pull() {
      throw new Error("The connection breaks.");
    },
  });
  return new Response(stream, { headers: { "content-length": "1000" } });
}

async function compressed(request: Request, url: URL, response: Response): Promise<Response> {
  const isAsked = url.searchParams.get("enable_http_compression") === "1";
  if (!isAsked || !request.headers.get("accept-encoding")?.includes("gzip")) return response;
  const headers = new Headers(response.headers);
  headers.set("content-encoding", "gzip");
  return new Response(Bun.gzipSync(new Uint8Array(await response.arrayBuffer())), { status: response.status, headers });
}
