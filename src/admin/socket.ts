/**
 * The admin socket, on which the command line reaches a running server: HTTP on a Unix socket in the data folder, which
 * only the folder's owner can open. One request runs one operation of the table, an export, or the copies of a backup.
 */
import { once } from "node:events";
import { rmSync } from "node:fs";
import { z } from "zod";
import type { ExportStream } from "../analytics/exports.ts";
import type { App } from "../app.ts";
import { Manifest } from "../backup/archive-format.ts";
import { type StagedBackup, type StageOptions, type StagePhase, withStagedBackup } from "../backup/stage-backup.ts";
import { errorCode } from "../base/causes.ts";
import { diskFailureOf } from "../base/disk-failure.ts";
import type { Log } from "../base/log.ts";
import { messageOf } from "../base/message-of.ts";
import { Problem, type ProblemCode, problemStatus } from "../base/problem.ts";
import { makeSocketPrivate, prepareSocketPath, requireOwnSocketFolder } from "../base/socket-file.ts";
import { isDatabaseUnavailable } from "../database/availability.ts";
import { databaseOutage } from "./database-outage.ts";
import { exportForOperator } from "./export-clicks.ts";
import type { AdminDeps } from "./operation.ts";
import { isOperationName, type OperationName, operations } from "./operations.ts";

const bodyBytesMax = 64 * 1024;

const Answer = z.union([
  z.object({ result: z.unknown() }),
  z.object({ problem: z.object({ code: z.string(), message: z.string() }) }),
]);

const BackupInput = z.object({ includesSecret: z.boolean() });
const BackupLine = z.union([
  z.object({ phase: z.enum(["database", "clicks"]) }),
  z.object({ staged: z.object({ folder: z.string(), manifest: Manifest }) }),
  z.object({ problem: z.object({ code: z.string(), message: z.string() }) }),
]);
type BackupLine = z.output<typeof BackupLine>;
const linesType = "application/x-ndjson";

/** The resources of operations in a running server. */
type ServerDeps = AdminDeps & { app: App };

/** The operation that answers with the bytes of an export. */
const exportName = "export clicks";
const exportType = "application/octet-stream";
const clicksHeader = "X-Clicks";
/** The operation that answers with lines about the copies of a backup, which exist until the client leaves. */
const backupName = "stage backup";

/**
 * Listens on the socket. The caller holds the lock of the data folder, so it may replace the socket of a crashed
 * process.
 */
export function listenForAdmin(path: string, deps: ServerDeps, log: Log): { close(): Promise<void> } {
  prepareSocketPath(path);
  const server = Bun.serve({
    unix: path,
    maxRequestBodySize: bodyBytesMax,
    fetch(request, server) {
      // The client sets the timeout, and sends nothing while it waits.
      server.timeout(request, 0);
      return answer(request, deps, log);
    },
  });
  makeSocketPrivate(path);
  return {
    async close() {
      await server.stop(true);
      rmSync(path, { force: true });
    },
  };
}

async function answer(request: Request, deps: ServerDeps, log: Log): Promise<Response> {
  try {
    const name = decodeURIComponent(new URL(request.url).pathname.slice(1));
    if (name === exportName) return await answerExport(request, deps);
    if (name === backupName) return answerBackup(deps, await request.json(), log);
    if (!isOperationName(name)) throw new Problem("not_found", `The running server has no operation "${name}".`);
    return Response.json({ result: (await operations[name].run({ ...deps, log }, await request.json())) ?? null });
  } catch (error) {
    if (error instanceof Problem) return Response.json({ problem: { code: error.code, message: error.message } });
    if (isDatabaseUnavailable(error)) {
      const outage = await databaseOutage(deps);
      if (outage !== undefined) return Response.json({ problem: { code: "unavailable", message: outageText(outage) } });
    }
    log.error("An operation of the command line failed.", { error });
    return Response.json({ problem: { code: "internal_server_error", message: "The server's log has the reason." } });
  }
}

/** The log reports an outage by itself, so the command only names it. */
function outageText(outage: string): string {
  return `The running service has no database: ${outage}. Run the command again when waypost doctor says that it answers.`;
}

async function answerExport(request: Request, deps: ServerDeps): Promise<Response> {
  const { clicks, stream } = await exportForOperator(deps.app, await request.json(), request.signal);
  return new Response(stream, { headers: { "Content-Type": exportType, [clicksHeader]: String(clicks) } });
}

/**
 * Answers with a line for each step and one for the staged backup. The response stays open until the client closes it,
 * or the time of a backup is over, and only then are the copies removed; so a killed client leaves none behind.
 */
function answerBackup(deps: ServerDeps, input: unknown, log: Log): Response {
  const left = new AbortController();
  const lines = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (line: BackupLine) => {
        if (!left.signal.aborted) controller.enqueue(Buffer.from(`${JSON.stringify(line)}\n`));
      };
      const { includesSecret } = BackupInput.parse(input);
      const options = { includesSecret, signal: left.signal, onPhase: (phase: StagePhase) => send({ phase }) };
      void withStagedBackup(deps.app, options, async (staged, signal) => {
        send({ staged });
        if (!signal.aborted) await once(signal, "abort");
        signal.throwIfAborted();
      }).catch(async (error: unknown) => {
        if (left.signal.aborted) return;
        send({ problem: await problemOfBackup(error, deps, log) });
        // The client may have left during the last step, which closes the stream.
        if (!left.signal.aborted) controller.close();
      });
    },
    cancel() {
      left.abort(new Error("The client has left."));
    },
  });
  return new Response(lines, { headers: { "Content-Type": linesType } });
}

async function problemOfBackup(error: unknown, deps: ServerDeps, log: Log) {
  if (error instanceof Problem) return { code: error.code, message: error.message };
  log.error("A backup failed.", { error });
  const failure = diskFailureOf(error);
  if (failure !== undefined) {
    return { code: "internal_server_error", message: `${failure.reason}. ${failure.advice}` };
  }
  const outage = await databaseOutage(deps);
  if (outage !== undefined) return { code: "unavailable", message: outageText(outage) };
  return { code: "internal_server_error", message: messageOf(error) };
}

/**
 * Runs an operation in the server behind the socket; "noServer" when none listens, and for a repeatable operation when it
 * is killed before it answers. Throws the operation's Problem, and "unavailable" for other operations of a killed server.
 */
export async function callServer(
  path: string,
  name: OperationName,
  input: unknown,
): Promise<{ kind: "result"; result: unknown } | { kind: "noServer" }> {
  const { timeMaxMs, isRepeatable } = operations[name];
  try {
    const response = await post(path, name, { input, signal: AbortSignal.timeout(timeMaxMs) });
    return response === undefined ? { kind: "noServer" } : { kind: "result", result: await resultOf(response) };
  } catch (error) {
    if (!isReset(error)) throw error;
    if (isRepeatable) return { kind: "noServer" };
    // The server may have run the operation, so it must not run again in the data folder.
    throw new Problem("unavailable", mayHaveRun, { cause: error });
  }
}

const mayHaveRun =
  "The running server stopped before it answered, so the command may have taken effect. Check that before you run it again.";

/**
 * Exports clicks in the server behind the socket; "noServer" when none listens, and when it is killed before it answers.
 * Throws the errors of exportForOperator.
 */
export async function exportFromServer(
  path: string,
  input: unknown,
  signal: AbortSignal,
): Promise<({ kind: "export" } & ExportStream) | { kind: "noServer" }> {
  const response = await post(path, exportName, { input, signal }).catch(undefinedIfReset);
  if (response === undefined) return { kind: "noServer" };
  const { body: stream, headers } = response;
  if (headers.get("content-type") !== exportType || stream === null) {
    await resultOf(response);
    throw new Problem("internal_server_error", "The running server has another version; restart it.");
  }
  return { kind: "export", clicks: Number(headers.get(clicksHeader)), stream };
}

/**
 * Makes the copies of a backup in the server behind the socket and passes them to `use`; "noServer" when none listens,
 * and when it is killed before it answers. Throws the errors of withStagedBackup, and "unavailable" when it is killed later.
 */
export async function useBackupOfServer<Result>(
  path: string,
  { includesSecret, onPhase, signal }: StageOptions,
  use: (staged: StagedBackup) => Promise<Result>,
): Promise<{ kind: "result"; result: Result } | { kind: "noServer" }> {
  const leaving = new AbortController();
  const ended = AbortSignal.any([signal, leaving.signal]);
  const posted = post(path, backupName, { input: { includesSecret }, signal: ended });
  const response = await posted.catch(undefinedIfReset);
  if (response === undefined) return { kind: "noServer" };
  if (response.headers.get("content-type") !== linesType || response.body === null) {
    await resultOf(response);
    throw new Problem("internal_server_error", "The running server has another version; restart it.");
  }
  try {
    for await (const text of linesOf(response.body)) {
      const line = BackupLine.parse(JSON.parse(text));
      if ("phase" in line) onPhase(line.phase);
      else if ("problem" in line) throw new Problem(asCode(line.problem.code), line.problem.message);
      else return { kind: "result", result: await use(line.staged) };
    }
    signal.throwIfAborted();
    throw stoppedProblem();
  } finally {
    leaving.abort();
  }
}

/** The lines of a stream of text; each is at most a manifest. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of untilReset(stream)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/** The chunks of a response. Throws "unavailable" when the server is killed. */
async function* untilReset(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw isReset(error) ? stoppedProblem() : error;
  }
}

/** Returns undefined when no server listens. Throws "unavailable" when it takes too long, and a reset when it is killed. */
async function post(path: string, name: string, { input, signal }: { input: unknown; signal: AbortSignal }) {
  requireOwnSocketFolder(path);
  try {
    const url = `http://admin/${encodeURIComponent(name)}`;
    // The signal is the timeout; the default timeout would end a long operation that sends no bytes.
    return await fetch(url, { unix: path, method: "POST", body: JSON.stringify(input), signal, timeout: false });
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError") {
      throw new Problem("unavailable", `The running server did not answer in time.`);
    }
    signal.throwIfAborted();
    if (isReset(error)) throw error;
    return undefined;
  }
}

function isReset(error: unknown): boolean {
  return error instanceof Error && errorCode(error) === "ECONNRESET";
}

function undefinedIfReset(error: unknown): undefined {
  if (!isReset(error)) throw error;
}

function stoppedProblem(): Problem {
  return new Problem("unavailable", "The running server has stopped. Run the command again.");
}

async function resultOf(response: Response): Promise<unknown> {
  const answer = Answer.parse(await response.json());
  if ("problem" in answer) throw new Problem(asCode(answer.problem.code), answer.problem.message);
  return answer.result;
}

function asCode(code: string): ProblemCode {
  const codes = Object.keys(problemStatus) as ProblemCode[];
  return codes.find((known) => known === code) ?? "internal_server_error";
}
