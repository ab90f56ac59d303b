import { openSession } from "../access/sessions.ts";
import type { App } from "../app.ts";
import { settingCookie } from "./session-cookie.ts";

/** Signs a person in, whose form was right, and leads to the dashboard. */
export async function enterSignedIn(app: App, userId: string, request: Request): Promise<Response> {
  const token = await openSession(app, userId, request.headers.get("user-agent") ?? "");
  app.metrics.signIns.inc({ outcome: "succeeded" });
  return enter(settingCookie(app, token));
}

/** Leads to the dashboard. */
export function enter(headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 303, headers: { Location: "/app", "Cache-Control": "no-store", ...headers } });
}
