import { Hono } from "hono";
import { html } from "hono/html";
import { routePath } from "hono/route";
import { isSetUp } from "../access/is-set-up.ts";
import type { Api } from "../api/api.ts";
import type { App } from "../app.ts";
import { bodyBytes, millisecondsSince } from "../base/access-log.ts";
import { Problem } from "../base/problem.ts";
import { routedPath } from "../base/request-target.ts";
import { isDatabaseUnavailable } from "../database/availability.ts";
import { pageAnswer } from "../redirects/pages.ts";
import { avatar } from "./avatar.ts";
import { openDashboard } from "./dashboard.ts";
import { destinationIcon } from "./destination-icon.ts";
import { docsAsset, docsPage } from "./docs.ts";
import { font } from "./font.ts";
import { health, metrics, readiness } from "./health.ts";
import { favicon, svgIcon } from "./icon.ts";
import { htmlPage } from "./page.ts";
import { themeOf } from "./preference-cookies.ts";
import { refuseMethod } from "./refuse-method.ts";
import { type SignInMethods, signInMethodsOf } from "./sign-in-methods.ts";
import { addSignInRoutes } from "./sign-in-routes.ts";
import { fontPath } from "./sign-in-style.ts";
import { signInTexts } from "./sign-in-texts.ts";
import type { SiteRequest } from "./site-request.ts";
import { tlsCheck, tlsCheckPath } from "./tls-check.ts";
import { submitUnsubscribeForm, unsubscribeForm } from "./unsubscribe.ts";
import { uploadedImage } from "./uploaded-image.ts";
import { userAvatar } from "./user-avatar.ts";

/** Paths that allow only GET and HEAD. */
const readOnlyPaths = [
  ...["/healthz", "/readyz", "/metrics", "/docs", "/docs/:file", "/favicon.ico"],
  `/${tlsCheckPath}`,
  ...[
    "/app/icon.svg",
    fontPath,
    "/app/avatars/:file",
    "/app/user-avatars/:file",
    "/app/icons/:linkId",
    "/app/assets/:file",
  ],
];

/**
 * Returns a function that resolves with the methods of signing in. Until the set-up, each call also looks for it, for the
 * next call: a page never waits for the database, which may be down.
 */
function openSignInMethods({ config, db }: Pick<App, "config" | "db">): () => Promise<SignInMethods> {
  const methods = signInMethodsOf(config);
  // Usual sign-in is offered while the answer is unknown.
  let known = true;
  const look = async () => {
    known = await isSetUp(db).catch(() => known);
  };
  const first = look();
  return async () => {
    await first;
    const answer = { ...methods, isSetUp: known };
    if (!known) void look();
    return answer;
  };
}

/** The app's host outside the API. */
export type Site = { fetch(request: SiteRequest): Promise<Response> };

/** Answers requests to the app's host besides /v1 and short links: health checks, the reference, the dashboard. */
export function openSite(app: App, api: Pick<Api, "trustToken">): Site {
  const dashboard = openDashboard(app.log, openSignInMethods(app));
  const router = new Hono<{ Bindings: SiteRequest }>({ getPath: routedPath });
  logAccess(router, app);
  router.get("/healthz", () => health());
  router.get("/readyz", async ({ env }) => await readiness(app, env.isClosing));
  router.get("/metrics", async ({ env }) => await metrics(app, env.request, env.peer));
  router.get(`/${tlsCheckPath}`, async ({ env }) => await tlsCheck(app, env.request, env.peer));
  router.get("/docs", () => docsPage());
  router.get(
    "/docs/:file",
    async (context) => (await docsAsset(context.req.param("file"), context.req.raw)) ?? context.notFound(),
  );
  router.get("/.well-known/waypost/:file", async ({ req }) => await uploadedImage(app, req.param("file"), req.raw));
  router.get("/favicon.ico", () => favicon());
  router.get("/app/icon.svg", () => svgIcon());
  router.get(fontPath, async ({ req }) => await font(req.raw));
  router.get("/app/assets/:file", async ({ req }) => await dashboard.file(req.param("file"), req.raw));
  router.get("/app/avatars/:file", async ({ req }) => await avatar(app, req.param("file")));
  router.get("/app/user-avatars/:file", async ({ req }) => await userAvatar(app, req.param("file"), req.raw));
  router.get("/app/icons/:linkId", async ({ req }) => await destinationIcon(app, req.param("linkId"), req.raw));
  router.get("/app/unsubscribe/:token", async ({ req }) => await unsubscribeForm(app, req.param("token"), req.raw));
  router.post(
    "/app/unsubscribe/:token",
    async ({ req }) => await submitUnsubscribeForm(app, req.param("token"), req.raw),
  );
  addSignInRoutes(router, app, api);
  // HEAD is answered like GET.
  for (const path of readOnlyPaths) {
    router.all(path, ({ req }) => refuseMethod(req.raw, ["GET", "HEAD"]));
  }
  router.all("/app/unsubscribe/:token", ({ req }) => refuseMethod(req.raw, ["GET", "HEAD", "POST"]));
  // The dashboard's script routes its own paths.
  for (const path of ["/app", "/app/*"]) {
    router.get(path, async ({ req }) => await dashboard.page(req.raw));
    router.all(path, ({ req }) => refuseMethod(req.raw, ["GET", "HEAD"]));
  }
  router.notFound(({ req }) => {
    const { language, nothing: title, nothingText, toDashboard } = signInTexts(req.raw);
    const body = html`<h1>${title}</h1><p>${nothingText}</p><a class="button" href="/app">${toDashboard}</a>`;
    return htmlPage({ title, body, status: 404 }, { language, theme: themeOf(req.raw) });
  });
  router.onError((error, { req }) => answerFailure(app, error, req.raw));
  return { fetch: async (request) => await router.fetch(asGet(request.request), request) };
}

/** Requests of programs that watch the service; they would fill the access log. */
const unloggedRoutes: readonly string[] = ["/healthz", "/readyz", "/metrics"];

/** Records each request in the access log, if there is one, by the pattern of the route that answered. */
function logAccess(router: Hono<{ Bindings: SiteRequest }>, { accessLog }: Pick<App, "accessLog">): void {
  if (accessLog === undefined) return;
  router.use(async (context, next) => {
    const startedAt = performance.now();
    await next();
    const pattern = routePath(context);
    if (unloggedRoutes.includes(pattern)) return;
    accessLog.record({
      method: context.env.request.method,
      route: pattern === "*" || pattern === "/*" ? null : pattern,
      status: context.res.status,
      durationMs: millisecondsSince(startedAt),
      bytes: bodyBytes(context.res),
      workspaceId: null,
      requestId: null,
    });
  });
}

/** 413 for a form that is too long, 503 while the database is unreachable, 500 for internal errors. */
function answerFailure({ log }: Pick<App, "log">, error: Error, { headers }: Request): Response {
  if (error instanceof Problem && error.code === "payload_too_large") {
    return new Response(`${error.message}\n`, { status: error.status });
  }
  log.error("A request for a page of the app failed.", { error });
  if (!isDatabaseUnavailable(error)) return new Response("The service failed unexpectedly.\n", { status: 500 });
  return pageAnswer("unavailable", 503, { acceptLanguage: headers.get("accept-language") ?? undefined }).response();
}

/** Hono drops the body of a HEAD response and its length; Bun sends the length without the body. */
function asGet(request: Request): Request {
  return request.method === "HEAD" ? new Request(request, { method: "GET" }) : request;
}
