/**
 * The HTTP of the ACME client: one bounded request, without redirects, retries and proxies.
 *
 * The operator chooses the authority, so the request may connect to any address, unlike those of base/safe-fetch.ts.
 * The client's own retries would hide Retry-After and hold a thread for minutes; the caller retries on its own schedule.
 */
import { type IncomingHttpHeaders, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { secondMs } from "../base/time.ts";
import type { AcmeProblem } from "./acme-calls.ts";

const requestTimeMaxMs = 20 * secondMs;
/** Directories, orders and chains have a few kilobytes. */
const bodyBytesMax = 256 * 1024;
/** The longest text of an authority that is kept. */
const textCharactersMax = 500;
const badNonceUrn = "urn:ietf:params:acme:error:badNonce";
/** The longest time that an authority may ask to wait. */
const retryAfterMsMax = 30 * 24 * 3_600 * secondMs;

/** A request; `body` is the signed JSON. */
type AcmeRequest = {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  roots: string | undefined;
};
/** A response. */
type AcmeResponse = { status: number; headers: IncomingHttpHeaders; body: string };

/** A problem that ends the call of the client. */
export class AcmeFailure extends Error {
  override readonly name = "AcmeFailure";
  readonly problem: AcmeProblem;

  constructor(problem: AcmeProblem) {
    super(problem.text);
    this.problem = problem;
  }
}

/** What a "badNonce" says instead of the authority's words, so that the error of a client that gives up is recognized. */
export const nonceRefused = "The authority refused every nonce.";

/**
 * Sends a request. Returns successes and "badNonce", with nonceRefused, which the client repeats with the new nonce.
 * Throws AcmeFailure for every other response and without one.
 */
export async function send(request: AcmeRequest): Promise<AcmeResponse> {
  const response = await exchange(request);
  if (response.status < 400) return response;
  const { type, detail } = readProblem(response.body);
  if (type === "badNonce") return { ...response, body: JSON.stringify({ type: badNonceUrn, detail: nonceRefused }) };
  const retryAfterMs = readRetryAfter(response.headers["retry-after"], Date.now());
  const { host, pathname } = new URL(request.url);
  const text = detail === "" ? `${host}${pathname}: the authority answered ${response.status}.` : detail;
  if (response.status >= 500 && type !== "rateLimited") {
    throw new AcmeFailure({ kind: "unreachable", text, retryAfterMs });
  }
  const limited = response.status === 429 ? "rateLimited" : type;
  throw new AcmeFailure({ kind: "refused", type: limited, text, retryAfterMs });
}

function exchange({ url, method, headers, body, roots }: AcmeRequest): Promise<AcmeResponse> {
  const { protocol, host } = new URL(url);
  const start = protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new AcmeFailure({ kind: "unreachable", text: `${host}: ${reason}`, retryAfterMs: null }));
    const request = start(
      url,
      {
        method,
        headers,
        agent: false,
        signal: AbortSignal.timeout(requestTimeMaxMs),
        ...(roots === undefined ? {} : { ca: roots }),
      },
      (response) => {
        const chunks: Uint8Array[] = [];
        let bytes = 0;
        response.on("data", (chunk: Uint8Array) => {
          bytes += chunk.byteLength;
          if (bytes <= bodyBytesMax) chunks.push(chunk);
          else request.destroy(new Error("the response is too large"));
        });
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString("utf8"),
          }),
        );
        response.on("error", ({ message }) => fail(message));
      },
    );
    request.on("error", ({ name, message }) => fail(name === "TimeoutError" ? "no response in time" : message));
    request.end(body);
  });
}

/** Reads a problem document (RFC 7807); empty texts for anything else. */
function readProblem(body: string): { type: string; detail: string } {
  try {
    return problemOf(JSON.parse(body));
  } catch {
    // Not JSON, such as the page of a proxy: its text would help nobody.
    return { type: "", detail: "" };
  }
}

/** As readProblem, for a problem inside another object, such as an invalid challenge. */
export function problemOf(value: unknown): { type: string; detail: string } {
  if (typeof value !== "object" || value === null) return { type: "", detail: "" };
  const type = "type" in value && typeof value.type === "string" ? value.type : "";
  const detail = "detail" in value && typeof value.detail === "string" ? value.detail : "";
  const [firstPart] = "subproblems" in value && Array.isArray(value.subproblems) ? value.subproblems : [];
  const part = firstPart === undefined ? "" : problemOf(firstPart).detail;
  const text = part === "" || detail.includes(part) ? detail : `${detail} ${part}`;
  return { type: type.split(":").at(-1) ?? "", detail: text.slice(0, textCharactersMax) };
}

/** Reads Retry-After: seconds or a date; null without one. */
function readRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * secondMs : Date.parse(value) - now;
  return ms > 0 ? Math.min(ms, retryAfterMsMax) : null;
}
