import { timingSafeEqual } from "node:crypto";
import type { App } from "../app.ts";
import { isReachable } from "../database/database.ts";
import { isForwarded, isLoopback } from "./own-request.ts";

/** Liveness check: always 200. */
export function health(): Response {
  return Response.json({ status: "ok" });
}

/**
 * Readiness check: 200 while visitors can be redirected, which a copy of the links allows without the database; 503 while
 * starting, stopping, or without both.
 */
export async function readiness({ db, replica }: Pick<App, "db" | "replica">, isClosing: boolean): Promise<Response> {
  const database = await isReachable(db);
  const isReady = (database || replica?.isUsable() === true) && !isClosing;
  return Response.json(
    { status: isReady ? "ok" : "unavailable", database, closing: isClosing },
    { status: isReady ? 200 : 503 },
  );
}

/** The metrics as Prometheus text, for the token of WAYPOST_METRICS_TOKEN, or without one for this machine only. */
export async function metrics(app: Pick<App, "config" | "metrics">, request: Request, peer: string): Promise<Response> {
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
 * True for requests from this machine that no proxy has forwarded. Setting the token helps where a local proxy adds no
 * header.
 */
function isLocal(request: Request, peer: string): boolean {
  return isLoopback(peer) && !isForwarded(request);
}

function hasToken(request: Request, token: string): boolean {
  const given = Buffer.from(request.headers.get("authorization") ?? "");
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
