/**
 * How the command line reaches a running server: HTTP on a Unix socket in the data folder, which only the folder's
 * owner can open. One request runs one operation of the table.
 */
import { rmSync } from "node:fs";
import { z } from "zod";
import type { Log } from "../base/log.ts";
import { Problem, type ProblemCode, problemStatus } from "../base/problem.ts";
import { clearSocketFile, closeSocketToOthers, requireOwnFolder } from "../base/socket-file.ts";
import { type AdminDeps, isOperationName, type OperationName, operations } from "./operations.ts";

const callTimeMaxMs = 30_000;
const bodyBytesMax = 64 * 1024;

const Answer = z.union([
  z.object({ result: z.unknown() }),
  z.object({ problem: z.object({ code: z.string(), message: z.string() }) }),
]);

/** Listens on the socket; whoever holds the data folder's lock may replace one that a crash left behind. */
export function listenForAdmin(path: string, deps: AdminDeps, log: Log): { close(): Promise<void> } {
  clearSocketFile(path);
  const server = Bun.serve({
    unix: path,
    maxRequestBodySize: bodyBytesMax,
    fetch: (request) => answer(request, deps, log),
  });
  closeSocketToOthers(path);
  return {
    async close() {
      await server.stop(true);
      rmSync(path, { force: true });
    },
  };
}

async function answer(request: Request, deps: AdminDeps, log: Log): Promise<Response> {
  try {
    const name = decodeURIComponent(new URL(request.url).pathname.slice(1));
    if (!isOperationName(name)) throw new Problem("not_found", `The running server knows no operation "${name}".`);
    return Response.json({ result: (await operations[name].run(deps, await request.json())) ?? null });
  } catch (error) {
    if (error instanceof Problem) return Response.json({ problem: { code: error.code, message: error.message } });
    log.error("An operation of the command line failed.", { error });
    return Response.json({ problem: { code: "internal_server_error", message: "The server's log says what failed." } });
  }
}

/** Runs an operation in the server behind the socket; "noServer" when none listens. Throws the operation's Problem. */
export async function callServer(
  path: string,
  name: OperationName,
  input: unknown,
): Promise<{ kind: "result"; result: unknown } | { kind: "noServer" }> {
  requireOwnFolder(path);
  let response: Response;
  try {
    response = await fetch(`http://admin/${encodeURIComponent(name)}`, {
      unix: path,
      method: "POST",
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(callTimeMaxMs),
    });
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError") {
      throw new Problem("unavailable", `The running server did not answer within ${callTimeMaxMs / 1_000} seconds.`);
    }
    return { kind: "noServer" };
  }
  const answer = Answer.parse(await response.json());
  if ("problem" in answer) throw new Problem(asCode(answer.problem.code), answer.problem.message);
  return { kind: "result", result: answer.result };
}

function asCode(code: string): ProblemCode {
  const codes = Object.keys(problemStatus) as ProblemCode[];
  return codes.find((known) => known === code) ?? "internal_server_error";
}
