import { newBrowserToken } from "../access/known-browser.ts";
import { magicLinkLifeMs } from "../access/magic-links.ts";
import { findSession, sessionLifeMs } from "../access/sessions.ts";
import type { App } from "../app.ts";
import { dayMs, minuteMs, secondMs } from "../base/time.ts";

const name = "waypost_session";
const browserName = "waypost_browser";
const providerName = "waypost_oidc";
/** The time for signing in at the identity provider. */
export const providerCookieLifeMs = 15 * minuteMs;
/** A sealed text with the page to open; see oidc.ts. */
const providerCharactersMax = 3_500;
const linkName = "waypost_link";
/** After this time without a sign-in, a browser is forgotten. */
const browserLifeMs = 365 * dayMs;
/** Longer than any of our tokens. */
const tokenCharactersMax = 100;

/** The token in a request's session cookie; undefined for none. */
export function sessionCookie(request: Request): string | undefined {
  return cookieNamed(name, request);
}

/** The token of a browser that has signed in before (see access/known-browser.ts); undefined for none. */
export function browserCookie(request: Request): string | undefined {
  return cookieNamed(browserName, request);
}

/** The token of a browser that has requested a magic link (see access/magic-links.ts); undefined for none. */
export function linkCookie(request: Request): string | undefined {
  return cookieNamed(linkName, request);
}

/** What a browser keeps while its person signs in at the identity provider, sealed; undefined for none. */
export function providerCookie(request: Request): string | undefined {
  return cookieNamed(providerName, request, providerCharactersMax);
}

function cookieNamed(name: string, { headers }: Request, charactersMax = tokenCharactersMax): string | undefined {
  for (const part of (headers.get("cookie") ?? "").split(";")) {
    const [key = "", value = ""] = part.trim().split("=", 2);
    if (key === name && value !== "" && value.length <= charactersMax) return value;
  }
  return undefined;
}

/** The session of a request's cookie; undefined for none. */
export async function signedIn(app: Pick<App, "db" | "now">, request: Request) {
  const token = sessionCookie(request);
  const session = token === undefined ? undefined : await findSession(app, token);
  return session === undefined || token === undefined ? undefined : { ...session, token };
}

/** The header that sets the session cookie. Browsers send it only to /app, and not with requests of other sites. */
export function sessionCookieHeader(app: Pick<App, "config">, token: string): Record<string, string> {
  return cookie(app, token, sessionLifeMs / secondMs);
}

/** The Set-Cookie value that lets us recognize a browser in which the user has signed in, also after they sign out. */
export function browserCookieHeader(app: Pick<App, "config">, user: { id: string; passwordHash: string }): string {
  return cookieText(app, browserName, newBrowserToken(user), browserLifeMs / secondMs);
}

/** The Set-Cookie value that lets us recognize the browser that has requested a magic link, while the link works. */
export function linkCookieHeader(app: Pick<App, "config">, token: string): string {
  return cookieText(app, linkName, token, magicLinkLifeMs / secondMs);
}

/** The Set-Cookie value of providerCookie; an empty text deletes it. */
export function providerCookieHeader(app: Pick<App, "config">, sealed: string): string {
  return cookieText(app, providerName, sealed, sealed === "" ? 0 : providerCookieLifeMs / secondMs);
}

/** The header that deletes the session cookie. */
export function clearedSessionHeader(app: Pick<App, "config">): Record<string, string> {
  return cookie(app, "", 0);
}

function cookie(app: Pick<App, "config">, token: string, maxAgeSeconds: number): Record<string, string> {
  return { "Set-Cookie": cookieText(app, name, token, maxAgeSeconds) };
}

function cookieText({ config }: Pick<App, "config">, cookieName: string, token: string, maxAgeSeconds: number): string {
  const secure = config.WAYPOST_URL.protocol === "https:" ? "; Secure" : "";
  return `${cookieName}=${token}; Path=/app; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
