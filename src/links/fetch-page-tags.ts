/**
 * Reads what a web page states about itself, so that a new link can take over its title.
 *
 * 1. The request passes the guards of base/safe-fetch.ts. A caller cannot tell a page that the service may not request
 *    from one that does not answer: both have no tags.
 * 2. The bounds are those of the constants below: time, redirects included, bytes, and requests at once, of each
 *    workspace, of each user, and of all.
 */
import type { Actor } from "../access/actor.ts";
import { Problem } from "../base/problem.ts";
import { fetchBody, type SafeFetchDeps } from "../base/safe-fetch.ts";
import { Semaphore } from "../base/semaphore.ts";
import { normalizeDestination } from "./destination-url.ts";
import { noPageTags, type PageTags, readPageTags } from "./page-tags.ts";

/** Time limit for one page, redirects included. */
const fetchTimeoutMs = 5_000;
/** Bytes of a page that are read. Parsing as many takes at most 11 ms, measured with the worst texts of page-tags.test. */
const pageBytesMax = 128 * 1_024;
/** Pages that are fetched at once. */
const fetchesMax = 16;
/**
 * Pages of one workspace, and of one user in all workspaces, that are fetched at once; the others are refused, since a
 * person fills in one form at a time.
 */
const fetchesPerPartyMax = 4;

/** The running fetches of all workspaces and users. */
export class PageFetches {
  readonly #all = new Semaphore({ runningMax: fetchesMax, waitingMax: 0 });
  readonly #running = new Map<string | number, number>();

  /** Runs the work; undefined if the workspace, the user or the service has too many. */
  async run<Value>({ workspaceId, userId }: Caller, work: () => Promise<Value>): Promise<Value | undefined> {
    const parties = [workspaceId, userId];
    if (parties.some((party) => (this.#running.get(party) ?? 0) >= fetchesPerPartyMax)) return undefined;
    for (const party of parties) this.#add(party, 1);
    try {
      const outcome = await this.#all.run(work);
      return outcome.kind === "done" ? outcome.value : undefined;
    } finally {
      for (const party of parties) this.#add(party, -1);
    }
  }

  #add(party: string | number, change: 1 | -1): void {
    const running = (this.#running.get(party) ?? 0) + change;
    if (running === 0) this.#running.delete(party);
    else this.#running.set(party, running);
  }
}

type Caller = Pick<Actor, "workspaceId" | "userId">;

/** Dependencies of the verb. */
type PageTagsDeps = {
  safeFetch: SafeFetchDeps;
  pageFetches: PageFetches;
  config: { WAYPOST_APP_SCHEMES: readonly string[] };
};

/**
 * The tags of the page at a destination; without values if it is no web page, or does not answer.
 * Throws "unprocessable_entity" for a URL that no link can have, "rate_limit_exceeded" for too many at once.
 */
export async function fetchPageTags(
  { safeFetch, pageFetches, config }: PageTagsDeps,
  caller: Caller,
  text: string,
): Promise<PageTags> {
  const url = normalizeDestination(text, "url", config.WAYPOST_APP_SCHEMES);
  const fetched = await pageFetches.run(caller, () =>
    fetchBody(safeFetch, { url, headers: requestHeaders, budgetMs: fetchTimeoutMs, bytesMax: pageBytesMax }),
  );
  if (fetched === undefined) {
    throw new Problem("rate_limit_exceeded", "Too many pages are being read at once; try again in a few seconds.");
  }
  if (fetched.kind !== "answered" || fetched.status >= 400 || !isReadable(fetched.headers)) return noPageTags;
  return readPageTags(decode(fetched.body, fetched.headers["content-type"] ?? ""), fetched.url);
}

const requestHeaders = {
  // Contains "bot", so that a page that counts its visitors ignores this request.
  "User-Agent": "Mozilla/5.0 (compatible; Waypost-bot; reads the title of a page)",
  Accept: "text/html,application/xhtml+xml;q=0.9",
  "Accept-Encoding": "identity",
  Connection: "close",
};

/** True for an uncompressed page of text. */
function isReadable(head: Readonly<Record<string, string | string[] | undefined>>): boolean {
  const { "content-type": type = "", "content-encoding": encoding = "identity" } = head;
  return /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(String(type)) && encoding === "identity";
}

/** Characters of a page in which its character encoding is looked for. */
const declarationCharactersMax = 1_024;

/** The text of a page in the encoding that its head or its beginning names; UTF-8 without one. */
function decode(body: Uint8Array, contentType: string): string {
  const beginning = new TextDecoder("latin1").decode(body.subarray(0, declarationCharactersMax));
  const name =
    /charset\s*=\s*["']?([\w-]+)/i.exec(contentType) ?? /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(beginning);
  return decoderOf(name?.[1] ?? "utf-8").decode(body);
}

function decoderOf(name: string): TextDecoder {
  try {
    // The name is only known at run time; the constructor throws for an unknown one.
    return new TextDecoder(name as Bun.Encoding);
  } catch {
    return new TextDecoder();
  }
}
