/**
 * Requests to addresses that users of the service wrote, which must reach nothing but the public internet: neither this
 * machine nor its neighbours, some of which trust whoever can connect to them.
 *
 * 1. A name is resolved here, once; what is connected to is the address that was judged, never the name again, which
 *    may resolve otherwise a moment later.
 * 2. A redirect is a new request under the same rules; there is no other way to another host.
 * 3. Only http and https, no credentials, no proxy of the environment. Certificates are checked against the name.
 * 4. One budget of time spans everything; heads are bounded by Node's 16 KiB, and bodies are not read.
 */
import { type IncomingHttpHeaders, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";

const redirectsMax = 5;
/** Addresses of one name that are tried when connecting fails. */
const addressesMax = 3;

/** What outgoing requests work with; given, so that tests can have servers on loopback. */
export type SafeFetchDeps = {
  /** The addresses of a name, none where it has none or nobody can tell; settles within its own time limit. */
  resolve: (name: string) => Promise<readonly string[]>;
  /** Whether an address may be connected to: isPublicAddress, but in tests. */
  mayConnect: (address: string) => boolean;
};

/**
 * What came back. answered: the head of the last answer, and the url it is of.
 * forbidden: the url, or one it redirects to, is no http or https url or leads to no public address.
 * unreachable: no answer within the budget, or too many redirects.
 */
export type FetchedHead =
  | { kind: "answered"; url: string; status: number; headers: IncomingHttpHeaders }
  | { kind: "forbidden" }
  | { kind: "unreachable" };

/** Asks for a url, follows redirects, and returns the head of the answer. Never throws. */
export async function fetchHead(
  deps: SafeFetchDeps,
  { url, headers, budgetMs }: { url: string; headers: Readonly<Record<string, string>>; budgetMs: number },
): Promise<FetchedHead> {
  const signal = AbortSignal.timeout(budgetMs);
  let next = url;
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const fetched = await fetchOnce(deps, next, headers, signal);
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
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<FetchedHead> {
  if (!URL.canParse(text)) return forbidden;
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return forbidden;
  const addresses = await within(addressesOf(url, resolve), signal);
  if (addresses === undefined || addresses.length === 0) return unreachable;
  const allowed = addresses.filter(mayConnect).slice(0, addressesMax);
  if (allowed.length === 0) return forbidden;
  for (const address of allowed) {
    if (signal.aborted) break;
    const fetched = await fetchFrom(address, url, headers, signal);
    if (fetched.kind === "answered") return fetched;
  }
  return unreachable;
}

async function addressesOf(url: URL, resolve: SafeFetchDeps["resolve"]): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 ? await resolve(host.replace(/\.$/, "")) : [host];
}

/** undefined when the time is up first; what was waited for may then end by itself. */
async function within<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  if (signal.aborted) return undefined;
  return await new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
    work.then(resolve, reject);
  });
}

function fetchFrom(
  address: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<FetchedHead> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const name = url.hostname.replace(/\.$/, "");
  return new Promise((resolve) => {
    const request = send(
      {
        host: address,
        port: url.port,
        // Not a name for the certificate of an address.
        ...(isIP(name.replace(/^\[|\]$/g, "")) === 0 ? { servername: name } : {}),
        path: `${url.pathname}${url.search}`,
        method: "GET",
        headers: { ...headers, Host: url.host },
        agent: false,
        signal,
      },
      (response) => {
        const { statusCode = 0 } = response;
        resolve({ kind: "answered", url: url.href, status: statusCode, headers: response.headers });
        request.destroy();
      },
    );
    request.on("error", () => resolve(unreachable));
    request.on("close", () => resolve(unreachable));
    request.end();
  });
}

const redirectStatuses = [301, 302, 303, 307, 308];

function redirectTarget({ status, headers, url }: Extract<FetchedHead, { kind: "answered" }>): string | undefined {
  const { location } = headers;
  if (location === undefined || !redirectStatuses.includes(status)) return undefined;
  return URL.canParse(location, url) ? new URL(location, url).href : undefined;
}
