import type { App } from "../../app.ts";
import type { Problem } from "../../base/problem.ts";
import { problemBody, toProblem } from "./problems.ts";

/**
 * What an answer carries: a value sent as JSON, bytes of another type, bytes that are still being made, or nothing, as
 * the client has it (304). `text` is the value's JSON where it is written already; HEAD needs no stream. `length` counts
 * the bytes of a stream; see base/http10.ts.
 */
export type Content =
  | { kind: "json"; value: unknown; text?: string }
  | { kind: "bytes"; bytes: Uint8Array<ArrayBuffer>; type: string }
  | { kind: "stream"; stream: ReadableStream<Uint8Array> | null; type: string; length?: number | undefined }
  | { kind: "none" };

/** What a handler answers when there is more to say than a body: header fields, or bytes in place of JSON. */
export class Reply {
  readonly content: Content;
  readonly headers: Record<string, string>;

  constructor(content: Content, headers: Record<string, string> = {}) {
    this.content = content;
    this.headers = headers;
  }
}

/** An answer before it is written for one client: status, content and header fields. */
export type ApiResponse = {
  status: number;
  content: Content;
  headers: Record<string, string>;
  /** What stopped the caller, where something did. */
  problem?: Problem;
};

/** The answer that says what stopped the caller. Whatever was thrown becomes one. */
export function problemResponse(app: Pick<App, "config">, error: unknown): ApiResponse {
  const problem = toProblem(error);
  const retryAfterSeconds = problem.retryAfterSeconds ?? (problem.code === "unavailable" ? 5 : undefined);
  return {
    status: problem.status,
    content: { kind: "json", value: problemBody(problem, app.config.WAYPOST_URL) },
    headers: {
      ...(problem.code === "unauthorized" ? { "WWW-Authenticate": "Bearer" } : {}),
      ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
    },
    problem,
  };
}
