import { isIP } from "node:net";
import { isReading } from "../base/is-reading.ts";
import { LruCache } from "../base/lru-cache.ts";
import { whenReady } from "../base/when-ready.ts";
import { isDatabaseUnavailable } from "../database/availability.ts";
import { rootKey } from "../domains/domain.ts";
import { instanceSegments } from "../links/key.ts";
import { type Answer, answerOf } from "./answer.ts";
import { answerHttp, type ConnectionDetails, hstsOf, hstsOfApp, withHsts } from "./https.ts";
import { isServing, type RedirectDomain } from "./lookup.ts";
import { pageAnswer } from "./pages.ts";
import { type RedirectDeps, redirect } from "./redirect.ts";
import type { RedirectRequest } from "./redirect-request.ts";

/** The answer to a request; undefined when it is for the app: the API, its pages, or an unknown host. */
export type HandleRequest = (request: RedirectRequest) => Answer | undefined | Promise<Answer | undefined>;

/** Answers visits of short links. */
export type RedirectHandler = {
  answer: HandleRequest;
  /** The id of the domain that a Host field names; "" when it is not cached, as for a domain's first visit. */
  domainOf(authority: string | undefined): string;
  /** Calls back when the clicks of the tick are written; no answer may be sent before. */
  afterTick(done: () => void): void;
  /** Called when an answer is sent, with the time it took. */
  onSent(milliseconds: number): void;
};

/** Tells the HSTS value for an answer of the app to a request; undefined for none. */
export type HstsOfApp = { hsts(request: ConnectionDetails): Promise<string | undefined> };

/** The app's hosts: its own, and with `servesAnyHost` every unknown one. */
type HostOptions = { appHost: string; servesAnyHost: boolean };

/** Cached hosts of domains, by which requests are queued before they are answered. */
const knownHostsMax = 10_000;

/**
 * Returns a handler that tells visits of short links from requests to the app, by host and path, and answers the
 * visits. `appHost` is the instance's own domain. An unknown host gets the app with `servesAnyHost`; without it only IP
 * addresses and localhost do, and other hosts get 404.
 */
export function redirectHandlerFor(
  deps: RedirectDeps,
  { appHost, servesAnyHost }: HostOptions,
): RedirectHandler & HstsOfApp {
  const { lookup } = deps;
  const domainIds = new LruCache<string, string>(knownHostsMax);

  const hosts = new RequestedHosts(appHost);

  return {
    answer(request) {
      try {
        const host = hosts.read(request.headers.host);
        const answer = request.port === "http" ? answerOnHttpPort(request, host) : answerOnHost(request, host);
        // No await for a synchronous answer: most redirects are answered in the tick they arrived in.
        return answer instanceof Promise ? answer.catch((error) => answerFailed(deps, request, error)) : answer;
      } catch (error) {
        return answerFailed(deps, request, error);
      }
    },
    hsts: (request) => hstsOfApp(deps, request, hosts.read(request.headers.host).name),
    domainOf: (authority) => domainIds.get(hosts.read(authority).name) ?? "",
    afterTick: (done) => deps.spool.afterTick(done),
    onSent: deps.onSent,
  };

  function answerOnHttpPort(request: RedirectRequest, host: RequestedHost) {
    return whenReady(answerHttp(deps, request, host.name), (answer) => answer ?? answerOnHost(request, host));
  }

  function answerOnHost(request: RedirectRequest, { name, isOfApp }: RequestedHost) {
    // The app's paths need no lookup, so health checks are answered while the database is down.
    if (isOfApp && instanceSegments.has(firstSegment(request.path))) return undefined;
    const found = lookup.domain(name);
    if (found === undefined || found instanceof Promise) return answerUnknown(request, name, found);
    remember(name, found);
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
    const answer = answerWithoutHsts(domain, request);
    const hsts = hstsOf(deps, domain, request);
    return hsts === undefined ? answer : whenReady(answer, (found) => found && withHsts(found, hsts));
  }

  function answerWithoutHsts(domain: RedirectDomain, request: RedirectRequest) {
    if (!domain.isInstance) return answerShort(deps, domain, request, servesAnyHost);
    return request.path === "" ? answerRoot(domain, request) : answerShort(deps, domain, request);
  }

  async function answerRoot(domain: RedirectDomain, request: RedirectRequest) {
    const root = await lookup.link(domain.id, rootKey);
    const leadsNowhere = root === undefined || root.url === "";
    return leadsNowhere && isReading(request) ? toApp : answerShort(deps, domain, request);
  }
}

/** The host of a request; "" when it cannot be a domain. */
type RequestedHost = { name: string; isOfApp: boolean };

/** Parses Host fields. Caches the last one: consecutive requests often have the same, and comparing is cheaper. */
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

/** First path segments answered on every host: the API, and what monitoring and proxies request. */
const segmentsOnEveryHost: ReadonlySet<string> = new Set(["v1", "healthz", "readyz", "metrics", "internal"]);

function answerUnknownHost({ path, headers }: RedirectRequest): Answer | undefined {
  if (segmentsOnEveryHost.has(firstSegment(path))) return undefined;
  return pageAnswer("notFound", 404, { acceptLanguage: headers["accept-language"] });
}

/** True for localhost and IP addresses, and for "", since old clients send no host. */
function isLocalHost(host: string): boolean {
  return host === "" || host === "localhost" || isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0;
}

function answerShort(deps: RedirectDeps, domain: RedirectDomain, request: RedirectRequest, servesAnyHost = false) {
  const { path } = request;
  // The app serves images, as it does everything that is not text.
  if (isUploadedImage(path) && isOpen(deps, domain)) return undefined;
  // `redirect` checks first whether the domain is verified, so only these rare cases check it here.
  const file = isReading(request) ? fileOf(domain, path) : undefined;
  if (file !== undefined && isOpen(deps, domain)) return file;
  // A tenant who adds the host of another owner must not take the service away from that owner.
  if (!domain.isInstance && !isOpen(deps, domain)) {
    const own = servesAnyHost ? instanceSegments : segmentsOnEveryHost;
    if (own.has(firstSegment(path))) return undefined;
  }
  return redirect(deps, domain, request);
}

function isOpen(deps: RedirectDeps, domain: RedirectDomain): boolean {
  return isServing(domain, deps.isUnverifiedAllowed, deps.now());
}

/** While the database is unreachable, the app still answers its own paths, among them the health checks. */
function answerFailed(deps: RedirectDeps, request: RedirectRequest, error: unknown): Answer | undefined {
  if (!isDatabaseUnavailable(error)) throw error;
  if (instanceSegments.has(firstSegment(request.path))) return undefined;
  deps.fail(error);
  deps.onAnswer("unavailable");
  return pageAnswer("unavailable", 503, { acceptLanguage: request.headers["accept-language"] });
}

/** The longest domain name (RFC 1035); longer hosts are neither looked up nor cached. */
const hostCharactersMax = 253;

/** The host in lower case and without port; "" when it cannot be a domain. */
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

/** Not cacheable: the owner may give the root link a destination at any time. */
const toApp = answerOf(302, { Location: "/app", "Cache-Control": "private, no-store" });

/** The part of a path before its first slash. */
export function firstSegment(path: string): string {
  const slash = path.indexOf("/");
  return slash === -1 ? path : path.slice(0, slash);
}

const dot = ".".charCodeAt(0);

/** True for the path of an uploaded image: a domain's logo or the image of a link's preview. */
function isUploadedImage(path: string): boolean {
  return path.charCodeAt(0) === dot && path.startsWith(".well-known/waypost/");
}

/** A domain's files, which are not links. */
function fileOf(domain: RedirectDomain, path: string): Answer | undefined {
  if (path === "robots.txt") return robots;
  return path.charCodeAt(0) === dot ? wellKnown(domain, path) : undefined;
}

/**
 * Crawlers may request everything: each answer's X-Robots-Tag says whether to index it, which a crawler sees only if it
 * may request the link. Preview bots would also skip disallowed paths.
 */
const robots = answerOf(200, { "Content-Type": "text/plain" }, "User-agent: *\nDisallow:\n");

/** The files with which apps claim a domain's links. */
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
