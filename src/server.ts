import type { Server } from "bun";
import type { Api } from "./api/api.ts";
import type { App } from "./app.ts";
import { type HeaderFields, headerFields } from "./base/header-fields.ts";
import type { Log } from "./base/log.ts";
import { type RequestTarget, splitTarget } from "./base/request-target.ts";
import { instanceSlug } from "./domains/domain.ts";
import { rootKey } from "./domains/domains.ts";
import { instanceSegments } from "./links/key.ts";
import { answers, type DomainTarget } from "./redirects/lookup.ts";
import { redirect } from "./redirects/redirect.ts";
import type { Site } from "./site/site.ts";

/** Seconds a silent connection is kept; long enough for a browser's next click, short enough under a flood. */
const idleTimeoutSeconds = 30;
/** Beyond every bound of an operation, so that each can answer in our error shape. */
const bodyBytesMax = 64 * 1024 ** 2;

type HttpServer = Server<undefined>;
/** Answers one HTTP request. */
export type Fetch = (request: Request, server: HttpServer) => Response | Promise<Response>;

/** Listens, and answers 503 to everything until `serve` says what to answer. Throws when the port is taken. */
export function listen(port: number, hostname: string, log: Log): HttpServer {
  return Bun.serve({
    port,
    hostname,
    idleTimeout: idleTimeoutSeconds,
    maxRequestBodySize: bodyBytesMax,
    development: false,
    // Bun shares the port between processes unless told otherwise, and two services on one port lose each other's data.
    reusePort: false,
    error(error) {
      log.error("A request failed.", { error });
      return new Response("Something went wrong on our side.\n", { status: 500 });
    },
    fetch: () => new Response("Waypost is starting.\n", { status: 503, headers: { "Retry-After": "1" } }),
  });
}

/**
 * Dispatches by host and path. A short domain redirects; the app's host serves /v1, the site and its own short links.
 * A host that is no domain of ours is answered as the app's.
 */
export function dispatch(app: App, api: Api, site: Site, state: { isClosing: boolean }): Fetch {
  const appHost = instanceSlug(app.config.WAYPOST_URL);
  const { lookup, isUnverifiedAllowed } = app.redirects;
  const isOpen = (domain: DomainTarget): boolean => answers(domain, isUnverifiedAllowed, app.now());

  let lastAuthority = "";
  let lastHost = "";

  return (request, server) => {
    const visit: Visit = {
      request,
      headers: headerFields(request),
      peer: server.requestIP(request)?.address ?? "",
      target: splitTarget(request.url),
      startedAt: performance.now(),
    };
    const authority = visit.headers["host"] ?? "";
    // Visitors of one host come one after the other, and comparing costs less than taking it apart.
    if (authority !== lastAuthority) {
      lastAuthority = authority;
      lastHost = hostOf(authority);
    }
    const known = lookup.domain(lastHost);
    // Without an await where there is nothing to wait for: most redirects are answered in the turn they came in.
    if (known === undefined || known instanceof Promise) return answerUnknown(visit, known);
    return known.isInstance ? answerApp(visit, known) : answerShort(visit, known);
  };

  async function answerUnknown(visit: Visit, asked: undefined | Promise<DomainTarget | undefined>): Promise<Response> {
    const domain = (await asked) ?? (await lookup.domain(appHost));
    return domain === undefined || domain.isInstance ? answerApp(visit, domain) : answerShort(visit, domain);
  }

  function answerApp(visit: Visit, domain: DomainTarget | undefined): Response | Promise<Response> {
    const { request, peer, target } = visit;
    const segment = firstSegment(target.path);
    if (segment === "v1") return api.fetch(request, peer);
    if (domain === undefined || instanceSegments.has(segment)) {
      return site.fetch({ request, peer, isClosing: state.isClosing });
    }
    return target.path === "" ? answerRoot(visit, domain) : answerShort(visit, domain);
  }

  async function answerRoot(visit: Visit, domain: DomainTarget): Promise<Response> {
    const root = await lookup.link(domain.id, rootKey);
    const leadsNowhere = root === undefined || root.url === "";
    return leadsNowhere && isVisit(visit.request) ? toApp() : answerShort(visit, domain);
  }

  function answerShort(visit: Visit, domain: DomainTarget): Response | Promise<Response> {
    const { request, headers, peer, target, startedAt } = visit;
    const { path, query } = target;
    // Whether the domain is proven is redirect's own first question, so it is asked here in these rare cases alone.
    const association = isVisit(request) ? wellKnown(domain, path) : undefined;
    if (association !== undefined && isOpen(domain)) return association;
    // Whoever adds a host that is not theirs must not take the service away from it.
    const isOurs = !domain.isInstance && instanceSegments.has(firstSegment(path)) && !isOpen(domain);
    if (isOurs) return answerApp(visit, undefined);
    return redirect(app.redirects, { method: request.method, headers, peer, domain, path, query, startedAt });
  }
}

/** A request, taken apart once. */
type Visit = {
  request: Request;
  headers: HeaderFields;
  /** The address at the other end of the connection. */
  peer: string;
  target: RequestTarget;
  startedAt: number;
};

/** No domain name is longer (RFC 1035), so none is looked up or remembered. */
const hostCharactersMax = 253;

/** The host asked for, in lower case and without port; "" when the request names none that could be a domain. */
function hostOf(authority: string): string {
  const host = withoutPort(authority).toLowerCase();
  return host.length > hostCharactersMax ? "" : host;
}

function isVisit({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

/** Not to be remembered: the owner may give the root link a destination at any time. */
function toApp(): Response {
  return new Response(null, { status: 302, headers: { Location: "/app", "Cache-Control": "private, no-store" } });
}

function withoutPort(authority: string): string {
  if (authority.startsWith("[")) return authority.slice(0, authority.indexOf("]") + 1);
  const colon = authority.indexOf(":");
  const host = colon === -1 ? authority : authority.slice(0, colon);
  return host.endsWith(".") ? host.slice(0, -1) : host;
}

function firstSegment(path: string): string {
  const slash = path.indexOf("/");
  return slash === -1 ? path : path.slice(0, slash);
}

const dot = ".".charCodeAt(0);

/** The files by which apps claim a domain's links. */
function wellKnown(domain: DomainTarget, path: string): Response | undefined {
  if (path.charCodeAt(0) !== dot || !path.startsWith(".well-known/")) return undefined;
  const contents = associations(domain).get(path.slice(".well-known/".length)) ?? null;
  if (contents === null) return undefined;
  return new Response(contents, { headers: { "Content-Type": "application/json" } });
}

function associations({ assetLinks, appleAppSiteAssociation }: DomainTarget): Map<string, string | null> {
  return new Map([
    ["assetlinks.json", assetLinks],
    ["apple-app-site-association", appleAppSiteAssociation],
  ]);
}
