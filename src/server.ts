import type { Server } from "bun";
import type { Api } from "./api/api.ts";
import type { App } from "./app.ts";
import { instanceSlug } from "./domains/domain.ts";
import { rootKey } from "./domains/domains.ts";
import { instanceSegments } from "./links/key.ts";
import type { DomainTarget } from "./redirects/lookup.ts";
import { redirect } from "./redirects/redirect.ts";
import type { Site } from "./site/site.ts";

/** Seconds a silent connection is kept; long enough for a browser's next click, short enough under a flood. */
const idleTimeoutSeconds = 30;
/** Beyond every bound of an operation, so that each can answer in our error shape. */
const bodyBytesMax = 64 * 1024 ** 2;

type HttpServer = Server<undefined>;
export type Fetch = (request: Request, server: HttpServer) => Response | Promise<Response>;

/** Listens, and answers 503 to everything until `serve` says what to answer. Throws when the port is taken. */
export function listen(port: number, hostname: string): HttpServer {
  return Bun.serve({
    port,
    hostname,
    idleTimeout: idleTimeoutSeconds,
    maxRequestBodySize: bodyBytesMax,
    development: false,
    // Bun shares the port between processes unless told otherwise, and two services on one port lose each other's data.
    reusePort: false,
    fetch: () => new Response("Waypost is starting.\n", { status: 503, headers: { "Retry-After": "1" } }),
  });
}

/**
 * Dispatches by host and path. A short domain redirects; the app's host serves /v1, the site and its own short links.
 * A host that is no domain of ours is answered as the app's.
 */
export function dispatch(app: App, api: Api, site: Site, state: { isClosing: boolean }): Fetch {
  const appHost = instanceSlug(app.config.WAYPOST_URL);
  const { lookup } = app.redirects;

  return async (request, server) => {
    const startedAt = performance.now();
    const { host, path, query } = splitUrl(request);
    try {
      const asked = lookup.domain(host);
      const known = asked instanceof Promise ? await asked : asked;
      const domain = known ?? (await lookup.domain(appHost));
      if (domain === undefined || domain.isInstance) {
        const segment = firstSegment(path);
        if (segment === "v1") return await api.fetch(request);
        if (instanceSegments.has(segment) || domain === undefined) {
          return await site.fetch({ request, peer: peerOf(request, server), isClosing: state.isClosing });
        }
        if (path === "" && !(await hasDestination(app, domain))) return Response.redirect("/app", 302);
      }
      const association = wellKnown(domain, path);
      if (association !== undefined) return association;
      const response = await redirect(app.redirects, { request, peer: peerOf(request, server), domain, path, query });
      app.metrics.redirectSeconds.observe((performance.now() - startedAt) / 1_000);
      return response;
    } catch (error) {
      app.log.error("A request failed.", { host, path, error });
      return new Response("Something went wrong on our side.\n", { status: 500 });
    }
  };
}

/** Host without port, path without its leading slash, query with its "?". Without `new URL`, for speed. */
function splitUrl({ url, headers }: Request): { host: string; path: string; query: string } {
  const authority = headers.get("host") ?? "";
  const pathStart = url.indexOf("/", url.indexOf("://") + 3);
  const rest = pathStart === -1 ? "" : url.slice(pathStart + 1);
  const queryStart = rest.indexOf("?");
  return {
    host: withoutPort(authority).toLowerCase(),
    path: queryStart === -1 ? rest : rest.slice(0, queryStart),
    query: queryStart === -1 ? "" : rest.slice(queryStart),
  };
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

function peerOf(request: Request, server: HttpServer): string {
  return server.requestIP(request)?.address ?? "";
}

async function hasDestination(app: App, domain: DomainTarget): Promise<boolean> {
  const root = await app.redirects.lookup.link(domain.id, rootKey);
  return root !== undefined && root.url !== "";
}

/** The files by which apps claim a domain's links. */
function wellKnown(domain: DomainTarget, path: string): Response | undefined {
  if (!path.startsWith(".well-known/")) return undefined;
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
