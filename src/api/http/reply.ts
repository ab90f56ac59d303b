import type { App } from "../../app.ts";
import type { Problem } from "../../base/problem.ts";
import type { FixedBytes } from "./fixed-bytes.ts";
import { problemBody, toProblem } from "./problems.ts";

/**
 * The content of a response: a value sent as JSON, bytes of another type, bytes that are still being produced, or
 * nothing, since the client has the content (304). `fixed` is the value's JSON if many responses send it. HEAD needs
 * no stream. `length` counts the bytes of a stream; see base/http10.ts.
 */
type Content =
  | { kind: "json"; value: unknown; fixed?: FixedBytes }
  | { kind: "bytes"; bytes: Uint8Array<ArrayBuffer>; type: string }
  | { kind: "stream"; stream: ReadableStream<Uint8Array> | null; type: string; length?: number | undefined }
  | { kind: "none" };

/** What a handler returns to set header fields, or to send content other than JSON. */
export class Reply {
  readonly content: Content;
  readonly headers: Record<string, string>;

  constructor(content: Content, headers: Record<string, string> = {}) {
    this.content = content;
    this.headers = headers;
  }
}

/** A response before content negotiation: status, content and header fields. */
export type ApiResponse = {
  status: number;
  content: Content;
  headers: Record<string, string>;
  /** The problem that stopped the call, if any. */
  problem?: Problem;
};

/** Returns the response for a thrown value. */
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
