import { hasMembershipsToReview } from "../access/review-memberships.ts";
import { openSession } from "../access/sessions.ts";
import type { App } from "../app.ts";
import { sessionCookieHeader } from "./session-cookie.ts";

/** Signs a person in, whose form was right, and leads to the dashboard, or to memberships that are to be reviewed. */
export async function signIn(app: App, userId: string, request: Request): Promise<Response> {
  const token = await openSession(app, userId, request.headers.get("user-agent") ?? "");
  app.metrics.signIns.inc({ outcome: "succeeded" });
  const isReviewing = await hasMembershipsToReview(app, userId);
  return redirectToDashboard({
    ...sessionCookieHeader(app, token),
    ...(isReviewing ? { Location: "/app/memberships" } : {}),
  });
}

/** Leads to the dashboard, unless the headers have another location. */
export function redirectToDashboard(headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 303, headers: { Location: "/app", "Cache-Control": "no-store", ...headers } });
}
