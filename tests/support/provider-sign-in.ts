import type { Dashboard } from "./dashboard.ts";
import type { OidcProvider } from "./oidc-provider.ts";

/** The URL to which a response redirects; "" without one. */
export const locationOf = (response: Response): string => response.headers.get("location") ?? "";

/**
 * Begins a sign-in with the provider at 127.0.0.1, which leads to the host of WAYPOST_URL, localhost; returns where it
 * leads from there.
 */
export async function begin(page: Dashboard, next = ""): Promise<string> {
  const first = new URL(locationOf(await page.visit(`/oidc${next === "" ? "" : `?next=${encodeURIComponent(next)}`}`)));
  return locationOf(await page.visit(`${first.pathname.replace(/^\/app/, "")}${first.search}`));
}

/** Begins a sign-in and signs in at the provider; returns the path below /app to which it sends the browser back. */
export async function authorize(page: Dashboard, at: OidcProvider, id: string, next = ""): Promise<string> {
  const back = new URL(await at.signIn(await begin(page, next), id));
  return `${back.pathname.replace(/^\/app/, "")}${back.search}`;
}

/** Signs in at the provider, and returns the path that opens. */
export async function signInAt(page: Dashboard, at: OidcProvider, id: string, next?: string): Promise<string> {
  return locationOf(await page.visit(await authorize(page, at, id, next)));
}
