import { z } from "@hono/zod-openapi";
import { mailPasswordLink } from "../access/mail-password-link.ts";
import { needsOneTimeCode } from "../access/needs-one-time-code.ts";
import { codeCharactersMax, useOneTimeCode } from "../access/one-time-codes.ts";
import { refuseWithoutPasswords } from "../access/password-sign-in.ts";
import { endSession, newAccessToken, openSession } from "../access/sessions.ts";
import { findByPassword } from "../access/sign-in.ts";
import { normalizeEmail, type User } from "../access/users.ts";
import type { Api } from "../api/api.ts";
import { sharedHeaders } from "../api/http/cors.ts";
import { bodyLimits, readJson } from "../api/http/json-body.ts";
import { parse } from "../api/http/prepare.ts";
import { type ApiResponse, problemResponse } from "../api/http/reply.ts";
import { writeResponse } from "../api/http/write-response.ts";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { isoTime } from "../base/time.ts";
import { clientAddress } from "./client-address.ts";
import { counted } from "./counted-sign-in.ts";
import { requestMagicLink } from "./magic-link.ts";
import { requireOwnOrigin } from "./own-origin.ts";
import { passkeyOptions, signInWithPasskey } from "./passkey.ts";
import type { SessionAnswer, SessionRequest } from "./session-answer.ts";
import {
  browserCookie,
  browserCookieHeader,
  clearedSessionHeader,
  sessionCookie,
  sessionCookieHeader,
  signedIn,
} from "./session-cookie.ts";
import { pageLanguage } from "./sign-in-texts.ts";

type Deps = Pick<
  App,
  | "accessLog"
  | "attempts"
  | "config"
  | "db"
  | "log"
  | "mailer"
  | "metrics"
  | "now"
  | "passkeyChallenges"
  | "redirects"
  | "signInSeal"
>;

/**
 * Sign-in to the dashboard: JSON operations below /app, which are not part of the API.
 *
 * - Browsers send the cookie only to these paths. It is exchanged for access tokens, which call /v1 like keys.
 * - Each operation requires our own Origin, so that no other site can use the cookie or sign a browser in.
 */

const SignIn = z.object({
  email: z.string(),
  password: z.string(),
  code: z.string().max(codeCharactersMax).optional(),
});
const Reset = z.object({ email: z.string() });

/** The operations; none of them throws. */
type Sessions = Record<
  "signIn" | "signOut" | "issueToken" | "resetPassword" | "mailMagicLink" | "passkeyOptions" | "signInWithPasskey",
  (received: SessionRequest) => Promise<Response>
>;

type SessionOperation = (app: Deps, received: SessionRequest) => Promise<SessionAnswer>;

/** Opens the operations; `api` accepts the tokens that they issue. */
export function openSessions(app: Deps, api: Pick<Api, "trustToken">): Sessions {
  const operation = (name: string, work: SessionOperation) => (received: SessionRequest) =>
    respondTo(app, name, received, work);
  return {
    signIn: operation("signIn", signIn),
    signOut: operation("signOut", signOut),
    issueToken: operation("issueToken", (_, received) => issueToken(app, api, received)),
    resetPassword: operation("resetPassword", resetPassword),
    mailMagicLink: operation("mailMagicLink", requestMagicLink),
    passkeyOptions: operation("passkeyOptions", passkeyOptions),
    signInWithPasskey: operation("signInWithPasskey", signInWithPasskey),
  };
}

async function respondTo(app: Deps, name: string, received: SessionRequest, work: SessionOperation): Promise<Response> {
  const answer: SessionAnswer = await runForOwnPage(app, received, work).catch((error: unknown) =>
    problemResponse(app, error),
  );
  const response = await writeResponse(app, received.request, { name, tag: "none" }, answer);
  // Unlike the API's answers, these are only for our own pages.
  for (const header of Object.keys(sharedHeaders)) response.headers.delete(header);
  response.headers.set("Cache-Control", "no-store");
  if (answer.cookie !== undefined) response.headers.append("Set-Cookie", answer.cookie);
  return response;
}

async function runForOwnPage(app: Deps, received: SessionRequest, work: SessionOperation): Promise<SessionAnswer> {
  requireOwnOrigin(app, received.request);
  return await work(app, received);
}

async function signIn(app: Deps, { request, peer }: SessionRequest): Promise<SessionAnswer> {
  refuseWithoutPasswords(app.config);
  const given = parse(SignIn, (await readJson(request, bodyLimits.public)).value);
  const address = clientAddress(app, request, peer);
  const { user, passwordHash } = await findByPassword(
    { db: app.db, limits: app.attempts.signIn },
    { address, browser: browserCookie(request), signal: request.signal },
    given,
  ).catch((error: unknown) => {
    throw counted(app, error);
  });
  const method = (await needsOneTimeCode(app, user.id)) ? "code" : "password";
  if (method === "code") {
    // The client asks for the code and sends everything again, so that no half of a sign-in is stored.
    if (given.code === undefined)
      return { status: 202, content: { kind: "json", value: { needs: "code" } }, headers: {} };
    const codes = { db: app.db, now: app.now, seal: app.signInSeal, limits: app.attempts.secondFactor };
    await useOneTimeCode(codes, user.id, given.code).catch((error: unknown) => {
      throw counted(app, error);
    });
  }
  const userAgent = request.headers.get("user-agent") ?? "";
  const language = pageLanguage(request);
  const token = await openSession(app, { userId: user.id, userAgent, language, method, provenBy: passwordHash });
  app.metrics.signIns.inc({ outcome: "succeeded" });
  return {
    status: 200,
    content: { kind: "json", value: { user: serialize(user) } },
    headers: sessionCookieHeader(app, token),
    cookie: browserCookieHeader(app, { id: user.id, passwordHash }),
  };
}

function serialize({ createdAt, verifiedAt, ...user }: User) {
  return { ...user, emailVerified: verifiedAt !== null, createdAt: isoTime(createdAt) };
}

/** Answers the same when the session has already ended. */
async function signOut(app: Deps, { request }: SessionRequest): Promise<ApiResponse> {
  const token = sessionCookie(request);
  if (token !== undefined) await endSession(app, token);
  return { status: 204, content: { kind: "none" }, headers: clearedSessionHeader(app) };
}

/** Renews the cookie too, since using the session has extended it. */
async function issueToken(app: Deps, api: Pick<Api, "trustToken">, { request }: SessionRequest): Promise<ApiResponse> {
  const session = await signedIn(app, request);
  if (session === undefined) {
    throw new Problem("unauthorized", "You are not signed in, or your session has ended; sign in again.");
  }
  const { token, expiresAt } = await newAccessToken(app, session.id);
  api.trustToken(token, session.userId);
  // Names the user, since another person may have signed in on another page of the browser.
  const value = { token, expiresAt: isoTime(expiresAt), userId: session.userId };
  return { status: 200, content: { kind: "json", value }, headers: sessionCookieHeader(app, session.token) };
}

/**
 * Answers before it looks for the account, so that neither the answer nor its time reveals whether one exists. The
 * mailer and the rate limits bound the work in the background, and a stop of the service does not wait for it.
 */
async function resetPassword(app: Deps, { request, peer }: SessionRequest): Promise<ApiResponse> {
  const { email } = parse(Reset, (await readJson(request, bodyLimits.public)).value);
  refuseWithoutPasswords(app.config);
  if (app.config.WAYPOST_SMTP_URL === undefined) {
    throw new Problem(
      "unprocessable_entity",
      "This service does not send e-mail. Its operator can set a new password with: waypost user password --email you@example.com",
    );
  }
  app.attempts.passwordReset.take({
    address: clientAddress(app, request, peer),
    account: normalizeEmail(email) ?? email,
  });
  const { db, now, mailer, log } = app;
  const language = pageLanguage(request);
  mailPasswordLink({ db, now, mailer, appUrl: app.config.WAYPOST_URL }, { email, language }).catch((error: unknown) =>
    log.error("The link for a new password could not be created.", { error }),
  );
  return { status: 202, content: { kind: "none" }, headers: {} };
}
