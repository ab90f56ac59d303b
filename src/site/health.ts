import { timingSafeEqual } from "node:crypto";
import type { App } from "../app.ts";
import { isReachable } from "../database/database.ts";

/** The process is alive. */
export function health(): Response {
  return Response.json({ status: "ok" });
}

/** 200 while requests can be served, 503 while starting, closing, or without the relational database. */
export async function readiness(app: App, isClosing: boolean): Promise<Response> {
  const database = await isReachable(app.db);
  const isReady = database && !isClosing;
  return Response.json(
    { status: isReady ? "ok" : "unavailable", database, closing: isClosing },
    { status: isReady ? 200 : 503 },
  );
}

/** Prometheus' text for this machine, and for others with the token of WAYPOST_METRICS_TOKEN. */
export async function metrics(app: App, request: Request, peer: string): Promise<Response> {
  if (!isLocal(request, peer) && !hasToken(request, app.config.WAYPOST_METRICS_TOKEN)) {
    return new Response("Metrics are for this machine, or for a Bearer token equal to WAYPOST_METRICS_TOKEN.\n", {
      status: 403,
    });
  }
  return new Response(await app.metrics.text(), { headers: { "Content-Type": app.metrics.contentType } });
}

/** What came through a proxy on this machine is not from this machine. */
function isLocal(request: Request, peer: string): boolean {
  const isLoopback = /^(::ffff:)?127\.|^::1$/.test(peer);
  return isLoopback && !request.headers.has("x-forwarded-for") && !request.headers.has("forwarded");
}

function hasToken(request: Request, token: string | undefined): boolean {
  if (token === undefined) return false;
  const given = Buffer.from(request.headers.get("authorization") ?? "");
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
