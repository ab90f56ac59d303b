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

/** Prometheus' text: for the token of WAYPOST_METRICS_TOKEN; where none is set, for this machine. */
export async function metrics(app: App, request: Request, peer: string): Promise<Response> {
  const token = app.config.WAYPOST_METRICS_TOKEN;
  const isAllowed = token === undefined ? isLocal(request, peer) : hasToken(request, token);
  if (!isAllowed) {
    return new Response(
      "Metrics are for a Bearer token equal to WAYPOST_METRICS_TOKEN; where none is set, for this machine.\n",
      { status: 403 },
    );
  }
  return new Response(await app.metrics.text(), { headers: { "Content-Type": app.metrics.contentType } });
}

/**
 * What came through a proxy on this machine is not from this machine.
 * Known weakness: a proxy that adds none of these headers is not told from this machine. Setting the token helps.
 */
function isLocal({ headers }: Request, peer: string): boolean {
  if (!/^(::ffff:)?127\.|^::1$/.test(peer)) return false;
  return ![...headers.keys()].some((name) => name.startsWith("x-forwarded-") || proxyHeaders.has(name));
}

const proxyHeaders: ReadonlySet<string> = new Set(["forwarded", "via", "x-real-ip"]);

function hasToken(request: Request, token: string): boolean {
  const given = Buffer.from(request.headers.get("authorization") ?? "");
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
