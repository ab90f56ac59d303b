/**
 * Requests to URLs from users. They must reach only the public internet, neither this machine nor its neighbours, which
 * may trust every client that can connect.
 *
 * 1. A name is resolved here, once. The request connects to the checked address, never to the name, which may resolve
 *    to another address a moment later.
 * 2. A redirect is a new request under the same rules.
 * 3. Only http and https, without credentials and without the environment's proxy. Certificates are checked against the
 *    name.
 * 4. One time limit spans all redirects. Node limits the head to 16 KiB; the caller limits the body. The numbers of
 *    interim responses and of the body's chunks are limited too, since each costs an event, however small it is.
 */
import { type IncomingHttpHeaders, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";

const redirectsMax = 5;
/** Addresses of one name that are tried if connecting fails. */
const addressesMax = 3;
/** Interim responses, such as 103 Early Hints; servers send one or two. An endless series would stop the event loop. */
const interimResponsesMax = 8;
/** Chunks of a body: 128 KiB in chunks of one byte would block the event loop for 50 ms. */
const chunksMax = 2_000;

/** The DNS and the address rule; tests pass their own to reach servers on loopback. */
export type SafeFetchDeps = {
  /** Returns the addresses of a name, none if the lookup fails; has a time limit. */
  resolve: (name: string) => Promise<readonly string[]>;
  /** True if a request may connect to the address: isPublicAddress, except in tests. */
  mayConnect: (address: string) => boolean;
};

/**
 * The result. answered: the head of the last response, and its url.
 * forbidden: the url, or one that it redirects to, is not http or https or has no public address.
 * unreachable: no response within the time limit, or too many redirects.
 */
type FetchedHead =
  | { kind: "answered"; url: string; status: number; headers: IncomingHttpHeaders }
  | { kind: "forbidden" }
  | { kind: "unreachable" };

/** As FetchedHead, with the beginning of the last response's body; isComplete if that is all of it. */
type FetchedBody =
  | (Extract<FetchedHead, { kind: "answered" }> & { body: Uint8Array; isComplete: boolean })
  | Exclude<FetchedHead, { kind: "answered" }>;

/** A request; it ends after budgetMs, or when the signal is aborted. */
type FetchRequest = { url: string; headers: Readonly<Record<string, string>>; budgetMs: number; signal?: AbortSignal };

/** What all requests of one fetch share. */
type FetchOptions = { headers: Readonly<Record<string, string>>; signal: AbortSignal; bytesMax: number };

/** Requests a url, follows redirects, and returns the head of the last response. Never throws. */
export async function fetchHead(deps: SafeFetchDeps, request: FetchRequest): Promise<FetchedHead> {
  return await fetchBody(deps, { ...request, bytesMax: 0 });
}

/** As fetchHead, with at most bytesMax bytes of the body; fewer if the time is over or the connection breaks. Never throws. */
export async function fetchBody(
  deps: SafeFetchDeps,
  { url, headers, budgetMs, signal, bytesMax }: FetchRequest & { bytesMax: number },
): Promise<FetchedBody> {
  const timeout = AbortSignal.timeout(budgetMs);
  const options = { headers, signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]), bytesMax };
  let next = url;
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const fetched = await fetchOnce(deps, next, options);
    if (fetched.kind !== "answered") return fetched;
    const target = redirectTarget(fetched);
    if (target === undefined) return fetched;
    next = target;
  }
  return unreachable;
}

const forbidden = { kind: "forbidden" } as const;
const unreachable = { kind: "unreachable" } as const;

async function fetchOnce(
  { resolve, mayConnect }: SafeFetchDeps,
  text: string,
  options: FetchOptions,
): Promise<FetchedBody> {
  if (!URL.canParse(text)) return forbidden;
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return forbidden;
  const addresses = await within(addressesOf(url, resolve), options.signal);
  if (addresses === undefined || addresses.length === 0) return unreachable;
  const allowed = addresses.filter(mayConnect).slice(0, addressesMax);
  if (allowed.length === 0) return forbidden;
  for (const address of allowed) {
    if (options.signal.aborted) break;
    const fetched = await fetchFrom(address, url, options);
    if (fetched.kind === "answered") return fetched;
  }
  return unreachable;
}

async function addressesOf(url: URL, resolve: SafeFetchDeps["resolve"]): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 ? await resolve(host.replace(/\.$/, "")) : [host];
}

/** Returns undefined if the time limit ends first; the work then continues unobserved. */
async function within<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  if (signal.aborted) return undefined;
  return await new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
    work.then(resolve, reject);
  });
}

function fetchFrom(address: string, url: URL, { headers, signal, bytesMax }: FetchOptions): Promise<FetchedBody> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const name = url.hostname.replace(/\.$/, "");
  return new Promise((resolve) => {
    let hasHead = false;
    let interimResponses = 0;
    const request = send(
      {
        host: address,
        port: url.port,
        // An address has no name for the certificate.
        ...(isIP(name.replace(/^\[|\]$/g, "")) === 0 ? { servername: name } : {}),
        path: `${url.pathname}${url.search}`,
        method: "GET",
        headers: { ...headers, Host: url.host },
        agent: false,
        signal,
      },
      (response) => {
        hasHead = true;
        const { statusCode: status = 0 } = response;
        const head = { kind: "answered", url: url.href, status, headers: response.headers } as const;
        const isWanted = bytesMax > 0 && !redirectStatuses.includes(status);
        if (!isWanted) {
          resolve({ ...head, body: new Uint8Array(), isComplete: false });
          request.destroy();
          return;
        }
        const chunks: Uint8Array[] = [];
        let left = bytesMax;
        const finish = (isComplete: boolean) => {
          resolve({ ...head, body: Buffer.concat(chunks), isComplete });
          request.destroy();
        };
        response.on("data", (chunk: Uint8Array) => {
          chunks.push(chunk.subarray(0, left));
          left -= chunk.byteLength;
          if (left < 0 || chunks.length >= chunksMax) finish(false);
        });
        response.on("end", () => finish(response.complete));
        // What a broken or slow response has sent is its beginning.
        response.on("error", () => finish(false));
        response.on("close", () => finish(false));
      },
    );
    request.on("information", () => {
      interimResponses++;
      if (interimResponses > interimResponsesMax) request.destroy();
    });
    request.on("error", () => hasHead || resolve(unreachable));
    request.on("close", () => hasHead || resolve(unreachable));
    request.end();
  });
}

const redirectStatuses = [301, 302, 303, 307, 308];

function redirectTarget({ status, headers, url }: Extract<FetchedHead, { kind: "answered" }>): string | undefined {
  const { location } = headers;
  if (location === undefined || !redirectStatuses.includes(status)) return undefined;
  return URL.canParse(location, url) ? new URL(location, url).href : undefined;
}
