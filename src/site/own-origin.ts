import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";

/**
 * Whether the page that sends a request is one of ours: of the address people reach the service at, or of the host the
 * browser has asked. Pages of others cannot say so, since it is the browser that says it.
 */
export function isOwnOrigin({ config }: Pick<App, "config">, { headers }: Request): boolean {
  const origin = headers.get("origin");
  if (origin === null) return false;
  const host = headers.get("host");
  return origin === config.WAYPOST_URL.origin || origin === `http://${host}` || origin === `https://${host}`;
}

/** Lets requests of our own pages pass, or throws Problem "forbidden". */
export function requireOwnOrigin(app: Pick<App, "config">, request: Request): void {
  if (isOwnOrigin(app, request)) return;
  const { origin } = app.config.WAYPOST_URL;
  throw new Problem("forbidden", `Origin: only pages of the dashboard may do this, and those come from ${origin}.`, {
    hint: "Programs call the API with a key. Is the dashboard reached at another address, set WAYPOST_URL to it.",
  });
}

/** As requireOwnOrigin, for forms: what is no browser says no origin, and may send them. */
export function rejectForeignForm(app: Pick<App, "config">, request: Request): void {
  if (request.headers.has("origin")) requireOwnOrigin(app, request);
}
