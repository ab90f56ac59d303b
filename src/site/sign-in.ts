import { needsOneTimeCode } from "../access/needs-one-time-code.ts";
import { hasMembershipsToReview } from "../access/review-memberships.ts";
import { openSession } from "../access/sessions.ts";
import type { App } from "../app.ts";
import type { SignInMethod } from "../database/sign-in-tables.ts";
import { sessionCookieHeader } from "./session-cookie.ts";
import { pageLanguage } from "./sign-in-texts.ts";

type Deps = Pick<App, "config" | "db" | "metrics" | "now">;

/**
 * Signs a person in and redirects to the dashboard, or to memberships that they must review first. A person with
 * one-time codes must sign in with one: a link or a new password does not replace it.
 */
export async function signIn(app: Deps, userId: string, request: Request): Promise<Response> {
  if (await needsOneTimeCode(app, userId)) return redirectToDashboard({ Location: "/app/sign-in" });
  return await startSession(app, request, { userId, method: "link", hasSecondFactor: false });
}

/** How a person has proven who they are, and the path to open then. */
type Proof = { userId: string; method: SignInMethod; hasSecondFactor: boolean; next?: string };

/**
 * Opens a session and redirects to `next`, to the dashboard, or to memberships that the person must review first. The
 * caller has asked for a second factor if the person needs one.
 */
export async function startSession(
  app: Deps,
  request: Request,
  { userId, method, hasSecondFactor, next = "/app" }: Proof,
): Promise<Response> {
  const userAgent = request.headers.get("user-agent") ?? "";
  const language = pageLanguage(request);
  const token = await openSession(app, { userId, userAgent, language, method, hasSecondFactor });
  app.metrics.signIns.inc({ outcome: "succeeded" });
  const isReviewing = await hasMembershipsToReview(app, userId);
  const Location = isReviewing ? "/app/memberships" : next;
  return redirectToDashboard({ ...sessionCookieHeader(app, token), Location });
}

/** Redirects to the dashboard, or to the Location of `headers`. */
export function redirectToDashboard(headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 303, headers: { Location: "/app", "Cache-Control": "no-store", ...headers } });
}
