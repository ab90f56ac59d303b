import { Hono } from "hono";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { routedPath, splitTarget } from "../base/request-target.ts";
import { analyticsEndpoints } from "./analytics.ts";
import { apiKeyEndpoints } from "./api-keys.ts";
import { authorize } from "./auth.ts";
import { domainEndpoints } from "./domains.ts";
import type { Endpoint } from "./endpoint.ts";
import { folderEndpoints } from "./folders.ts";
import { linkEndpoints } from "./links.ts";
import { openApiDocument } from "./openapi.ts";
import { asProblem, problemBody } from "./problems.ts";
import { readJson, readQuery, requireStorable } from "./request.ts";
import { tagEndpoints } from "./tags.ts";
import { workspaceEndpoints } from "./workspaces.ts";

/** TABLE of routes. A path with fixed segments stands before one that has a parameter in their place. */
export const endpoints: readonly Endpoint[] = [
  ...workspaceEndpoints,
  ...apiKeyEndpoints,
  ...domainEndpoints,
  ...linkEndpoints,
  ...tagEndpoints,
  ...folderEndpoints,
  ...analyticsEndpoints,
];

/** The API as the server uses it: a request below /v1 in, its answer out. */
export type Api = { fetch(request: Request): Promise<Response> };

/** The HTTP JSON API below /v1. Every answer is JSON and carries X-Request-Id; none is a 5xx for bad input. */
export function openApi(app: App): Api {
  const router = new Hono({ getPath: routedPath });
  for (const endpoint of endpoints) {
    router.on(endpoint.method, honoPath(endpoint), (context) =>
      answer(app, endpoint, context.req.raw, context.req.param()),
    );
  }
  for (const [path, methods] of methodsByPath()) {
    router.all(path, ({ req }) => refuseMethod(app, req.raw, methods));
  }
  const document = openApiDocument(endpoints, app.config.WAYPOST_URL);
  router.get("/v1/openapi.json", ({ req }) => respond(app, req.raw, "none", 200, document));
  router.all("/v1/openapi.json", ({ req }) => refuseMethod(app, req.raw, ["GET", "HEAD"]));
  router.notFound(({ req }) =>
    respondProblem(app, req.raw, "none", new Problem("not_found", "There is no such path in this API. See /docs.")),
  );
  return { fetch: async (request) => await router.fetch(request) };
}

async function answer(app: App, endpoint: Endpoint, request: Request, path: Record<string, string>): Promise<Response> {
  const stopTimer = app.metrics.requestSeconds.startTimer();
  try {
    const query = readQuery(splitTarget(request.url).query);
    requireStorable(path, "path");
    const actor = await authorize(app, endpoint, request.headers.get("authorization"), query["workspaceId"]);
    const body = endpoint.bodySchema === undefined ? undefined : await readJson(request, endpoint.bodyBytesMax);
    const result = await endpoint.run({ app, actor, path, query, body });
    return respond(app, request, endpoint.operationId, endpoint.status, result);
  } catch (error) {
    return respondProblem(app, request, endpoint.operationId, asProblem(error));
  } finally {
    stopTimer();
  }
}

function respond(
  app: App,
  request: Request,
  operation: string,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  app.metrics.requests.inc({ operation, status: String(status) });
  return new Response(JSON.stringify(body), {
    status,
    headers: { "Content-Type": "application/json", "X-Request-Id": requestId(request), ...headers },
  });
}

function respondProblem(
  app: App,
  request: Request,
  operation: string,
  problem: Problem,
  headers: Record<string, string> = {},
) {
  const response = respond(app, request, operation, problem.status, problemBody(problem, app.config.WAYPOST_URL), {
    ...(problem.code === "unauthorized" ? { "WWW-Authenticate": "Bearer" } : {}),
    ...(problem.code === "unavailable" ? { "Retry-After": "5" } : {}),
    ...headers,
  });
  if (problem.status >= 500) {
    app.log.error(problem.message, {
      operation,
      requestId: response.headers.get("X-Request-Id"),
      cause: problem.cause,
    });
  }
  return response;
}

function refuseMethod(app: App, request: Request, methods: string[]): Response {
  const Allow = methods.join(", ");
  const problem = new Problem("method_not_allowed", `This path has the methods ${Allow}.`);
  return respondProblem(app, request, "none", problem, { Allow });
}

/** A caller's own id where it is fit for a log, so that both sides speak of the same request. */
function requestId(request: Request): string {
  const given = request.headers.get("x-request-id") ?? "";
  return /^[\w.-]{8,64}$/.test(given) ? given : crypto.randomUUID();
}

function honoPath({ path }: Endpoint): string {
  return `/v1${path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
}

function methodsByPath(): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const endpoint of endpoints) {
    const path = honoPath(endpoint);
    const own = [endpoint.method.toUpperCase(), ...(endpoint.method === "get" ? ["HEAD"] : [])];
    methods.set(path, [...(methods.get(path) ?? []), ...own]);
  }
  return methods;
}
