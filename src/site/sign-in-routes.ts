import type { Hono } from "hono";
import type { Api } from "../api/api.ts";
import type { App } from "../app.ts";
import { inviteForm, submitInviteForm } from "./invite.ts";
import { magicLinkForm, submitMagicLinkForm } from "./magic-link.ts";
import { membershipsForm, submitMembershipsForm } from "./memberships.ts";
import { beginProviderSignIn, finishProviderSignIn } from "./oidc.ts";
import { refuseMethod } from "./refuse-method.ts";
import { openSessions } from "./session.ts";
import { setupForm, submitSetupForm } from "./setup.ts";
import { finishSignUpForm, signUpForm, submitFinishSignUpForm, submitSignUpForm } from "./sign-up.ts";
import type { SiteRequest } from "./site-request.ts";
import { submitVerifyForm, verifyForm } from "./verify.ts";

/** Paths of forms. */
const formPaths = [
  "/app/sign-up",
  "/app/sign-up/:token",
  "/app/setup/:token",
  "/app/link/:token",
  "/app/verify/:token",
  "/app/invites/:token",
  "/app/memberships",
];
/** Paths of operations that allow only POST. */
const postPaths = [
  ...["/app/token", "/app/password-reset", "/app/magic-link"],
  ...["/app/passkey", "/app/passkey/options"],
];

/** Adds the pages and operations by which people sign in; `api` accepts the tokens that they issue. */
export function addSignInRoutes(router: Hono<{ Bindings: SiteRequest }>, app: App, api: Pick<Api, "trustToken">): void {
  addForms(router, app);
  addSignUp(router, app);
  router.get("/app/oidc", async ({ req, env }) => await beginProviderSignIn(app, req.raw, env.peer));
  router.get("/app/oidc/callback", async ({ req, env }) => await finishProviderSignIn(app, req.raw, env.peer));
  const sessions = openSessions(app, api);
  router.post("/app/session", ({ env }) => sessions.signIn(env));
  router.delete("/app/session", ({ env }) => sessions.signOut(env));
  router.post("/app/token", ({ env }) => sessions.issueToken(env));
  router.post("/app/password-reset", ({ env }) => sessions.resetPassword(env));
  router.post("/app/magic-link", ({ env }) => sessions.mailMagicLink(env));
  router.post("/app/passkey/options", ({ env }) => sessions.passkeyOptions(env));
  router.post("/app/passkey", ({ env }) => sessions.signInWithPasskey(env));
  for (const path of formPaths) {
    router.all(path, ({ req }) => refuseMethod(req.raw, ["GET", "HEAD", "POST"]));
  }
  for (const path of ["/app/oidc", "/app/oidc/callback"]) {
    router.all(path, ({ req }) => refuseMethod(req.raw, ["GET", "HEAD"]));
  }
  router.all("/app/session", ({ req }) => refuseMethod(req.raw, ["POST", "DELETE"]));
  for (const path of postPaths) router.all(path, ({ req }) => refuseMethod(req.raw, ["POST"]));
}

function addForms(router: Hono<{ Bindings: SiteRequest }>, app: App): void {
  router.get("/app/setup/:token", async ({ req }) => await setupForm(app, req.param("token"), req.raw));
  router.post("/app/setup/:token", async ({ req }) => await submitSetupForm(app, req.param("token"), req.raw));
  router.get("/app/link/:token", async ({ req }) => await magicLinkForm(app, req.param("token"), req.raw));
  router.post("/app/link/:token", async ({ req }) => await submitMagicLinkForm(app, req.param("token"), req.raw));
  router.get("/app/verify/:token", async ({ req }) => await verifyForm(app, req.param("token"), req.raw));
  router.post("/app/verify/:token", async ({ req }) => await submitVerifyForm(app, req.param("token"), req.raw));
  router.get("/app/invites/:token", async ({ req }) => await inviteForm(app, req.param("token"), req.raw));
  router.post(
    "/app/invites/:token",
    async ({ req, env }) => await submitInviteForm(app, req.param("token"), req.raw, env.peer),
  );
  router.get("/app/memberships", async ({ req }) => await membershipsForm(app, req.raw));
  router.post("/app/memberships", async ({ req }) => await submitMembershipsForm(app, req.raw));
}

function addSignUp(router: Hono<{ Bindings: SiteRequest }>, app: App): void {
  router.get("/app/sign-up", ({ req }) => signUpForm(app, req.raw));
  router.post("/app/sign-up", async ({ req, env }) => await submitSignUpForm(app, req.raw, env.peer));
  router.get("/app/sign-up/:token", ({ req }) => finishSignUpForm(app, req.param("token"), req.raw));
  router.post(
    "/app/sign-up/:token",
    async ({ req, env }) => await submitFinishSignUpForm(app, req.param("token"), req.raw, env.peer),
  );
}
