import { needsOneTimeCode } from "../access/needs-one-time-code.ts";
import { hasMembershipsToReview } from "../access/review-memberships.ts";
import { openSession } from "../access/sessions.ts";
import type { App } from "../app.ts";
import { sessionCookieHeader } from "./session-cookie.ts";

/**
 * Signs a person in and redirects to the dashboard, or to memberships that they must review first. A person with
 * one-time codes must sign in with one: a link or a new password does not replace it.
 */
export async function signIn(
  app: Pick<App, "config" | "db" | "metrics" | "now">,
  userId: string,
  request: Request,
): Promise<Response> {
  if (await needsOneTimeCode(app, userId)) return redirectToDashboard({ Location: "/app/sign-in" });
  const userAgent = request.headers.get("user-agent") ?? "";
  const token = await openSession(app, { userId, userAgent, method: "link" });
  app.metrics.signIns.inc({ outcome: "succeeded" });
  const isReviewing = await hasMembershipsToReview(app, userId);
  return redirectToDashboard({
    ...sessionCookieHeader(app, token),
    ...(isReviewing ? { Location: "/app/memberships" } : {}),
  });
}

/** Redirects to the dashboard, or to the Location of `headers`. */
export function redirectToDashboard(headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 303, headers: { Location: "/app", "Cache-Control": "no-store", ...headers } });
}
