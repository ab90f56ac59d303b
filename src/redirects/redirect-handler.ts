import { isIP } from "node:net";
import { isReading } from "../base/is-reading.ts";
import { LruCache } from "../base/lru-cache.ts";
import { isDatabaseUnavailable } from "../database/availability.ts";
import { rootKey } from "../domains/domain.ts";
import { instanceSegments } from "../links/key.ts";
import { type Answer, answerOf } from "./answer.ts";
import { isServing, type RedirectDomain } from "./lookup.ts";
import { pageAnswer } from "./pages.ts";
import { type RedirectDeps, redirect } from "./redirect.ts";
import type { RedirectRequest } from "./redirect-request.ts";

/** The answer to a visit; undefined when it is for the app: its API, its pages, or a host that is no domain of ours. */
export type HandleRequest = (request: RedirectRequest) => Answer | undefined | Promise<Answer | undefined>;

/** Answers visits, and tells beforehand whose they are. */
export type RedirectHandler = {
  answer: HandleRequest;
  /**
   * The id of the domain that a Host field names, or "" for a host that was not found to be one before. Looks nothing
   * up, so a domain's first visit is told to be nobody's.
   */
  domainOf(authority: string | undefined): string;
  /** Calls back when the turn's clicks are written: no answer goes out before. */
  afterTick(done: () => void): void;
  /** Told when an answer goes out, with the time it took. */
  onSent(milliseconds: number): void;
};

/** Which hosts are the app's. */
export type HostOptions = { appHost: string; servesAnyHost: boolean };

/** Hosts known to be domains, by which visits are told apart before they are answered. */
const knownHostsMax = 10_000;

/**
 * Tells visits of short links from requests to the app, by host and path, and answers them.
 * `appHost` is the instance's own domain. Another host that is no domain of ours is answered as the app's too where
 * `servesAnyHost`; otherwise only an IP address and localhost are, and any other gets 404.
 */
export function redirectHandlerFor(deps: RedirectDeps, { appHost, servesAnyHost }: HostOptions): RedirectHandler {
  const { lookup } = deps;
  const domainIds = new LruCache<string, string>(knownHostsMax);

  const hosts = new RequestedHosts(appHost);

  return {
    answer(request) {
      try {
        const { name, isOfApp } = hosts.read(request.headers.host);
        // The app's own paths need no look-up: probes are answered although the database is not.
        if (isOfApp && instanceSegments.has(firstSegment(request.path))) return undefined;
        const answer = answerOnHost(request, name);
        // Without an await where there is nothing to wait for: most redirects are answered in the turn they came in.
        return answer instanceof Promise ? answer.catch((error) => answerFailed(deps, request, error)) : answer;
      } catch (error) {
        return answerFailed(deps, request, error);
      }
    },
    domainOf: (authority) => domainIds.get(hosts.read(authority).name) ?? "",
    afterTick: (done) => deps.spool.afterTick(done),
    onSent: deps.onSent,
  };

  function answerOnHost(request: RedirectRequest, host: string) {
    const found = lookup.domain(host);
    if (found === undefined || found instanceof Promise) return answerUnknown(request, host, found);
    remember(host, found);
    return answerOn(found, request);
  }

  function remember(host: string, { id }: RedirectDomain): void {
    if (domainIds.get(host) !== id) domainIds.set(host, id);
  }

  async function answerUnknown(
    request: RedirectRequest,
    host: string,
    lookedUp: undefined | Promise<RedirectDomain | undefined>,
  ) {
    const found = await lookedUp;
    if (found !== undefined) remember(host, found);
    if (found === undefined && !servesAnyHost && !isLocalHost(host)) return answerUnknownHost(request);
    const domain = found ?? (await lookup.domain(appHost));
    if (domain === undefined || (domain.isInstance && instanceSegments.has(firstSegment(request.path))))
      return undefined;
    return answerOn(domain, request);
  }

  function answerOn(domain: RedirectDomain, request: RedirectRequest) {
    if (!domain.isInstance) return answerShort(deps, domain, request, servesAnyHost);
    return request.path === "" ? answerRoot(domain, request) : answerShort(deps, domain, request);
  }

  async function answerRoot(domain: RedirectDomain, request: RedirectRequest) {
    const root = await lookup.link(domain.id, rootKey);
    const leadsNowhere = root === undefined || root.url === "";
    return leadsNowhere && isReading(request) ? toApp : answerShort(deps, domain, request);
  }
}

/** The host that a request asks for: "" when it names none that could be a domain. */
type RequestedHost = { name: string; isOfApp: boolean };

/** Reads Host fields. Visitors of one host come one after the other, and comparing costs less than taking it apart. */
class RequestedHosts {
  readonly #appHost: string;
  #authority = "";
  #last: RequestedHost = { name: "", isOfApp: true };

  constructor(appHost: string) {
    this.#appHost = appHost;
  }

  read(authority = ""): RequestedHost {
    if (authority !== this.#authority) {
      const name = hostOf(authority);
      this.#last = { name, isOfApp: name === this.#appHost || isLocalHost(name) };
      this.#authority = authority;
    }
    return this.#last;
  }
}

/** Segments that every host answers: the API by key, and what monitors and proxies ask for. */
const segmentsOnEveryHost: ReadonlySet<string> = new Set(["v1", "healthz", "readyz", "metrics", "internal"]);

function answerUnknownHost({ path, headers }: RedirectRequest): Answer | undefined {
  if (segmentsOnEveryHost.has(firstSegment(path))) return undefined;
  return pageAnswer("notFound", 404, { acceptLanguage: headers["accept-language"] });
}

/** Whether a host is this machine by a name that nobody else can have; "" comes from old clients, which send none. */
function isLocalHost(host: string): boolean {
  return host === "" || host === "localhost" || isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0;
}

function answerShort(deps: RedirectDeps, domain: RedirectDomain, request: RedirectRequest, servesAnyHost = false) {
  const { path } = request;
  // The app's host reads the image, as it does all that is no text.
  if (isUploadedImage(path) && isOpen(deps, domain)) return undefined;
  // Whether the domain is proven is redirect's own first question, so it is asked here in these rare cases alone.
  const file = isReading(request) ? fileOf(domain, path) : undefined;
  if (file !== undefined && isOpen(deps, domain)) return file;
  // A tenant who adds another owner's host must not take the service away from it.
  if (!domain.isInstance && !isOpen(deps, domain)) {
    const own = servesAnyHost ? instanceSegments : segmentsOnEveryHost;
    if (own.has(firstSegment(path))) return undefined;
  }
  return redirect(deps, domain, request);
}

function isOpen(deps: RedirectDeps, domain: RedirectDomain): boolean {
  return isServing(domain, deps.isUnverifiedAllowed, deps.now());
}

/** While the database is out of reach, the app answers its own paths all the same: the probes are among them. */
function answerFailed(deps: RedirectDeps, request: RedirectRequest, error: unknown): Answer | undefined {
  if (!isDatabaseUnavailable(error)) throw error;
  if (instanceSegments.has(firstSegment(request.path))) return undefined;
  deps.fail(error);
  deps.onAnswer("unavailable");
  return pageAnswer("unavailable", 503, { acceptLanguage: request.headers["accept-language"] });
}

/** No domain name is longer (RFC 1035), so none is looked up or remembered. */
const hostCharactersMax = 253;

/** The host asked for, in lower case and without port; "" when the request names none that could be a domain. */
export function hostOf(authority: string): string {
  const host = withoutPort(authority).toLowerCase();
  return host.length > hostCharactersMax ? "" : host;
}

function withoutPort(authority: string): string {
  if (authority.startsWith("[")) return authority.slice(0, authority.indexOf("]") + 1);
  const colon = authority.indexOf(":");
  const host = colon === -1 ? authority : authority.slice(0, colon);
  return host.endsWith(".") ? host.slice(0, -1) : host;
}

/** Not to be remembered: the owner may give the root link a destination at any time. */
const toApp = answerOf(302, { Location: "/app", "Cache-Control": "private, no-store" });

/** What stands before the first slash of a path. */
export function firstSegment(path: string): string {
  const slash = path.indexOf("/");
  return slash === -1 ? path : path.slice(0, slash);
}

const dot = ".".charCodeAt(0);

/** Whether the path may be that of an uploaded image: a domain's logo, or what a link's previews show. */
function isUploadedImage(path: string): boolean {
  return path.charCodeAt(0) === dot && path.startsWith(".well-known/waypost/");
}

/** The files of a domain, which are no links. */
function fileOf(domain: RedirectDomain, path: string): Answer | undefined {
  if (path === "robots.txt") return robots;
  return path.charCodeAt(0) === dot ? wellKnown(domain, path) : undefined;
}

/**
 * Everything may be asked for. That links are not to be found is said by each answer's X-Robots-Tag, which a crawler
 * only sees when it may ask; and those that make previews would keep away from what is closed to crawlers.
 */
const robots = answerOf(200, { "Content-Type": "text/plain" }, "User-agent: *\nDisallow:\n");

/** The files by which apps claim a domain's links. */
function wellKnown(domain: RedirectDomain, path: string): Answer | undefined {
  if (!path.startsWith(".well-known/")) return undefined;
  const contents = associations(domain).get(path.slice(".well-known/".length)) ?? null;
  return contents === null ? undefined : answerOf(200, { "Content-Type": "application/json" }, contents);
}

function associations({ assetLinks, appleAppSiteAssociation }: RedirectDomain): Map<string, string | null> {
  return new Map([
    ["assetlinks.json", assetLinks],
    ["apple-app-site-association", appleAppSiteAssociation],
  ]);
}
