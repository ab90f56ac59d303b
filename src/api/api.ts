import { type Context, Hono } from "hono";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { routedPath } from "../base/request-target.ts";
import { accountEndpoints } from "./account.ts";
import { administrationEndpoints } from "./administration.ts";
import { administrationPeopleEndpoints } from "./administration-people.ts";
import { analyticsEndpoints } from "./analytics.ts";
import { apiKeyEndpoints } from "./api-keys.ts";
import { auditLogEndpoints } from "./audit-log.ts";
import { blockEndpoints } from "./blocks.ts";
import { bulkLinkEndpoints } from "./bulk-links.ts";
import { clickLossEndpoints } from "./click-losses.ts";
import { domainCheckEndpoints } from "./domain-checks.ts";
import { domainEndpoints } from "./domains.ts";
import { eventExportEndpoints } from "./event-export.ts";
import { eventEndpoints } from "./events.ts";
import { folderEndpoints } from "./folders.ts";
import { isPreflight, preflightHeaders } from "./http/cors.ts";
import { type ApiConnection, type ApiContext, dispatch } from "./http/dispatch.ts";
import { changeableObjects, type Endpoint } from "./http/endpoint.ts";
import { readTags } from "./http/entity-tag.ts";
import { FixedBytes } from "./http/fixed-bytes.ts";
import { createIdempotency } from "./http/idempotency.ts";
import { openApiDocument } from "./http/openapi.ts";
import { RateLimits } from "./http/rate-limits.ts";
import { problemResponse } from "./http/reply.ts";
import { noOperation, writeResponse } from "./http/write-response.ts";
import { identityEndpoints } from "./identities.ts";
import { inviteEndpoints } from "./invites.ts";
import { linkHistoryEndpoints } from "./link-history.ts";
import { linkResolveEndpoints } from "./link-resolve.ts";
import { linkTestEndpoints } from "./link-test-results.ts";
import { linkWarningEndpoints } from "./link-warnings.ts";
import { linkEndpoints } from "./links.ts";
import { liveChangeEndpoints } from "./live-changes.ts";
import { liveEventEndpoints } from "./live-events.ts";
import { memberEndpoints } from "./members.ts";
import { membershipEndpoints } from "./memberships.ts";
import { nodeEndpoints } from "./nodes.ts";
import { notificationEndpoints } from "./notifications.ts";
import { oneTimeCodesEndpoints } from "./one-time-codes.ts";
import { pageTagEndpoints } from "./page-tags.ts";
import { passkeyEndpoints } from "./passkeys.ts";
import { qrCodeEndpoints } from "./qr-codes.ts";
import { savedViewEndpoints } from "./saved-views.ts";
import { sharedEndpoints } from "./shared-analytics.ts";
import { shareEndpoints } from "./shares.ts";
import { tagEndpoints } from "./tags.ts";
import { userEndpoints } from "./user.ts";
import { utmTemplateEndpoints } from "./utm-templates.ts";
import { workspaceLimitEndpoints } from "./workspace-limits.ts";
import { workspaceEndpoints } from "./workspaces.ts";

/** TABLE of routes. A path with fixed segments comes before a path with parameters that also matches it. */
export const endpoints: readonly Endpoint[] = [
  ...workspaceEndpoints,
  ...clickLossEndpoints,
  ...blockEndpoints,
  ...memberEndpoints,
  ...inviteEndpoints,
  ...apiKeyEndpoints,
  ...auditLogEndpoints,
  ...userEndpoints,
  ...accountEndpoints,
  ...oneTimeCodesEndpoints,
  ...identityEndpoints,
  ...passkeyEndpoints,
  ...membershipEndpoints,
  ...notificationEndpoints,
  ...domainEndpoints,
  ...domainCheckEndpoints,
  ...bulkLinkEndpoints,
  ...linkWarningEndpoints,
  ...linkEndpoints,
  ...linkHistoryEndpoints,
  ...linkResolveEndpoints,
  ...linkTestEndpoints,
  ...pageTagEndpoints,
  ...tagEndpoints,
  ...folderEndpoints,
  ...utmTemplateEndpoints,
  ...savedViewEndpoints,
  ...analyticsEndpoints,
  ...shareEndpoints,
  ...sharedEndpoints,
  ...eventEndpoints,
  ...eventExportEndpoints,
  ...liveEventEndpoints,
  ...liveChangeEndpoints,
  ...qrCodeEndpoints,
  ...administrationPeopleEndpoints,
  ...administrationEndpoints,
  ...nodeEndpoints,
  ...workspaceLimitEndpoints,
];

/** The API as the server uses it. */
export type Api = {
  fetch(request: Request, connection: ApiConnection): Promise<Response>;
  /** Registers a new access token of the user's session as valid; see RateLimits.trust. */
  trustToken(token: string, userId: string): void;
};

type Bindings = { Bindings: { connection: ApiConnection } };

/** The methods in the preflight response for an unknown path, so that the browser then sees the 404. */
const everyMethod = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/** Creates the HTTP API below /v1. Every response carries X-Request-Id; invalid input never causes a 5xx. */
export function createApi(app: App): Api {
  const context = createContext(app);
  const document = lazyDocument(app.config.WAYPOST_URL);
  const router = new Hono<Bindings>({ getPath: routedPath });
  for (const endpoint of endpoints) {
    router.on(endpoint.method, honoPath(endpoint), ({ req, env }: Context<Bindings>) =>
      dispatch(context, endpoint, { request: req.raw, connection: env.connection, path: req.param() }),
    );
  }
  router.get("/v1/openapi.json", ({ req }) => documentResponse(app, req.raw, document));
  for (const [path, methods] of methodsByPath()) {
    router.all(path, ({ req }) => otherMethodResponse(app, req.raw, methods));
  }
  router.notFound(({ req }) => noPathResponse(app, req.raw));
  return {
    fetch: async (request, connection) => await router.fetch(request, { connection }),
    trustToken: (token, userId) => context.limits.trust(token, userId),
  };
}

type JsonDocument = { kind: "json"; value: object; fixed: FixedBytes };

/**
 * Returns a function that returns the OpenAPI document. The first call creates it, which takes a tenth of a second that
 * a start should not wait for; later calls reuse it, since clients may request it without a key and without a limit.
 */
function lazyDocument(appUrl: URL): () => JsonDocument {
  let content: JsonDocument | undefined;
  return () => {
    if (content === undefined) {
      const value = openApiDocument(endpoints, appUrl);
      content = { kind: "json", value, fixed: new FixedBytes(new TextEncoder().encode(JSON.stringify(value))) };
    }
    return content;
  };
}

async function documentResponse(app: App, request: Request, document: () => JsonDocument): Promise<Response> {
  const operation = { name: "none", tag: "body", route: "/v1/openapi.json" } as const;
  try {
    const tags = request.headers.get("if-none-match");
    const known = tags === null ? undefined : readTags("If-None-Match", tags);
    return await writeResponse(
      app,
      request,
      { ...operation, known },
      { status: 200, content: document(), headers: {} },
    );
  } catch (error) {
    return await writeResponse(app, request, operation, problemResponse(app, error));
  }
}

function createContext(app: App): ApiContext {
  const { refused, replayed } = app.metrics;
  const { WAYPOST_RATE_LIMIT_PER_MINUTE: user, WAYPOST_WORKSPACE_RATE_LIMIT_PER_MINUTE: workspace } = app.config;
  return {
    app,
    limits: new RateLimits({ user, workspace }, app.now, (by) => refused.inc({ by })),
    idempotent: createIdempotency(app, () => replayed.inc()),
    objects: changeableObjects(endpoints),
  };
}

/** Responds to OPTIONS with the methods of a path, and refuses other methods. */
function otherMethodResponse(app: App, request: Request, methods: string[]): Promise<Response> {
  const Allow = [...methods, "OPTIONS"].join(", ");
  if (request.method === "OPTIONS") {
    const headers = isPreflight(request) ? { Allow, ...preflightHeaders(methods) } : { Allow };
    return writeResponse(app, request, noOperation, { status: 204, content: { kind: "none" }, headers });
  }
  const response = problemResponse(app, new Problem("method_not_allowed", `This path supports the methods ${Allow}.`));
  return writeResponse(app, request, noOperation, { ...response, headers: { Allow } });
}

function noPathResponse(app: App, request: Request): Promise<Response> {
  if (isPreflight(request)) {
    const headers = preflightHeaders(everyMethod);
    return writeResponse(app, request, noOperation, { status: 204, content: { kind: "none" }, headers });
  }
  const meant = withoutExtraSlashes(routedPath(request));
  const hint = meant === undefined ? "See /docs." : `It has an extra slash; use ${meant}.`;
  const problem = new Problem("not_found", `There is no such path in this API. ${hint}`);
  return writeResponse(app, request, noOperation, problemResponse(app, problem));
}

/** Returns the documented path that this path equals without its extra slashes; undefined if none does. */
function withoutExtraSlashes(path: string): string | undefined {
  const segments = path.split("/").filter((segment) => segment !== "");
  const tidy = `/${segments.join("/")}`;
  if (tidy === path) return undefined;
  return endpoints
    .map((endpoint) => `/v1${endpoint.path}`)
    .find((known) => {
      const expected = known.split("/").slice(1);
      const fits = (segment: string, index: number) => segment.startsWith("{") || segment === segments[index];
      return expected.length === segments.length && expected.every(fits);
    });
}

function honoPath({ path }: Pick<Endpoint, "path">): string {
  return `/v1${path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
}

function methodsByPath(): Map<string, string[]> {
  const methods = new Map([["/v1/openapi.json", ["GET", "HEAD"]]]);
  for (const endpoint of endpoints) {
    const path = honoPath(endpoint);
    const own = [endpoint.method.toUpperCase(), ...(endpoint.method === "get" ? ["HEAD"] : [])];
    methods.set(path, [...(methods.get(path) ?? []), ...own]);
  }
  return methods;
}
