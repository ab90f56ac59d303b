import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";

/**
 * True when one of our pages sent the request: its Origin is the service's URL or the requested host. Other sites
 * cannot forge the field, since the browser sets it.
 */
export function isOwnOrigin({ config }: Pick<App, "config">, { headers }: Request): boolean {
  const origin = headers.get("origin");
  if (origin === null) return false;
  const host = headers.get("host");
  return origin === config.WAYPOST_URL.origin || origin === `http://${host}` || origin === `https://${host}`;
}

/** Throws Problem "forbidden" unless one of our pages sent the request. */
export function requireOwnOrigin(app: Pick<App, "config">, request: Request): void {
  if (isOwnOrigin(app, request)) return;
  const { origin } = app.config.WAYPOST_URL;
  throw new Problem("forbidden", `Origin: only pages of the dashboard can do this, and they come from ${origin}.`, {
    hint: "Programs call the API with an API key. If you open the dashboard at another URL, set WAYPOST_URL to it.",
  });
}

/** The same for forms, which clients without an Origin may send too: those are not browsers. */
export function rejectForeignForm(app: Pick<App, "config">, request: Request): void {
  if (request.headers.has("origin")) requireOwnOrigin(app, request);
}
