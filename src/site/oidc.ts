import { z } from "@hono/zod-openapi";
import { inviteTokenLength } from "../access/invites.ts";
import { insertProviderLink, newBrowserToken } from "../access/magic-links.ts";
import { mailAccountChange } from "../access/mail-account-change.ts";
import { needsOneTimeCode } from "../access/needs-one-time-code.ts";
import { userOfIdentity } from "../access/sign-in-by-identity.ts";
import { findUser } from "../access/users.ts";
import type { App } from "../app.ts";
import { networkOf } from "../base/network.ts";
import { Problem } from "../base/problem.ts";
import { clientAddress } from "./client-address.ts";
import { nextCharactersMax, returnPath } from "./return-path.ts";
import { linkCookieHeader, providerCookie, providerCookieHeader, providerCookieLifeMs } from "./session-cookie.ts";
import { redirectToDashboard, startSession } from "./sign-in.ts";

/**
 * Signing in with an identity provider.
 *
 * 1. A sealed cookie binds both halves to one browser and holds the checks of the second half, so that nobody is signed
 *    in to an account that another person has chosen (login CSRF), and no rows are written before.
 * 2. The cookie is used up by the second half, whatever its outcome.
 * 3. Errors lead to the sign-in page, whose `problem` is one of the names below.
 * 4. A person with one-time codes enters one, unless the provider has checked a second factor.
 */

type Deps = Pick<
  App,
  "attempts" | "config" | "db" | "identityProvider" | "log" | "mailer" | "metrics" | "now" | "redirects" | "signInSeal"
>;

/** Why signing in failed; the sign-in page has a text for each. */
type Failure =
  | "disabled"
  | "expired"
  | "noAccount"
  | "otherIdentity"
  | "refused"
  | "tooMany"
  | "unreachable"
  | "unverifiedAccount"
  | "unverifiedEmail";

const sealIdentity = "oidc";
const Pending = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
  expiresAt: z.number(),
});

/** Redirects to the provider, or first to the host of WAYPOST_URL; `next` of the query is the page to open afterwards. */
export async function beginProviderSignIn(app: Deps, request: Request, peer: string): Promise<Response> {
  const provider = app.identityProvider;
  if (provider === undefined) return redirectToDashboard({ Location: "/app/sign-in" });
  const elsewhere = urlAtOwnHost(app, request);
  if (elsewhere !== undefined) return redirectToDashboard({ Location: elsewhere.href });
  if (isLimited(app, request, peer)) return failed(app, "tooMany");
  const begun = await provider.begin();
  if (begun.kind === "unreachable") {
    app.log.warn("The identity provider could not be reached.", { reason: begun.reason });
    return failed(app, "unreachable");
  }
  const asked = new URL(request.url).searchParams.get("next") ?? "";
  // Part of a path would open another page.
  const next = asked.length > nextCharactersMax ? "" : asked;
  const pending: z.infer<typeof Pending> = { ...begun.checks, next, expiresAt: app.now() + providerCookieLifeMs };
  const sealed = app.signInSeal.seal(JSON.stringify(pending), sealIdentity);
  const response = redirectToDashboard({ Location: begun.url.href });
  response.headers.append("Set-Cookie", providerCookieHeader(app, sealed));
  return response;
}

/** Marks a request that was redirected, since a proxy may hide the host of WAYPOST_URL from every request. */
const redirectedField = "redirected";

/**
 * The URL of a request to another host, at WAYPOST_URL: the provider sends the browser back there, where a cookie of
 * another host is missing. undefined for a request that may begin a sign-in.
 */
function urlAtOwnHost({ config }: Pick<Deps, "config">, { url, headers }: Request): URL | undefined {
  const { pathname, searchParams } = new URL(url);
  if (headers.get("host") === config.WAYPOST_URL.host || searchParams.has(redirectedField)) return undefined;
  searchParams.set(redirectedField, "1");
  return new URL(`${pathname}?${searchParams}`, config.WAYPOST_URL);
}

/** Signs in the person whom the provider sent back. */
export async function finishProviderSignIn(app: Deps, request: Request, peer: string): Promise<Response> {
  const provider = app.identityProvider;
  const pending = pendingSignIn(app, request);
  if (provider === undefined || pending === undefined) return failed(app, "expired");
  if (isLimited(app, request, peer)) return failed(app, "tooMany");
  const { search, searchParams } = new URL(request.url);
  // Another tab may have begun another sign-in.
  if (searchParams.get("state") !== pending.state) return failed(app, "expired");
  const outcome = await provider.finish(search, pending);
  if (outcome.kind !== "identity") {
    app.log.warn("A sign-in with the identity provider failed.", { outcome: outcome.kind, reason: outcome.reason });
    return failed(app, outcome.kind);
  }
  const { identity } = outcome;
  const found = await userOfIdentity(app, identity, inviteTokenIn(pending.next)).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    return { kind: error.code === "conflict" ? "expired" : "refused" } as const;
  });
  if (found.kind !== "user") return failed(app, found.kind);
  if (found.hasJoined === true) await mailJoined(app, found.userId, identity.email);
  return await openFor(app, request, { ...found, ...identity, next: pending.next });
}

/** The token of the invite that the path opens; undefined for another path. */
function inviteTokenIn(next: string): string | undefined {
  const token = /^\/invites\/(\w+)$/.exec(next)?.[1];
  return token?.length === inviteTokenLength ? token : undefined;
}

/** Another person may have signed in with the address at the provider. */
async function mailJoined(app: Deps, userId: string, email: string | undefined): Promise<void> {
  const user = await findUser(app, userId);
  const provider = app.config.WAYPOST_OIDC_NAME;
  if (user !== undefined) mailAccountChange(app, user, { kind: "identityConnected", provider, email: email ?? null });
}

type SignedIn = { userId: string; hasSecondFactor: boolean; next: string };

async function openFor(app: Deps, request: Request, { userId, hasSecondFactor, next }: SignedIn): Promise<Response> {
  if (!hasSecondFactor && (await needsOneTimeCode(app, userId))) return await askForCode(app, { userId, next });
  try {
    const proof = { userId, method: "provider", hasSecondFactor, next: returnPath(next) } as const;
    const response = await startSession(app, request, proof);
    response.headers.append("Set-Cookie", providerCookieHeader(app, ""));
    return response;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return failed(app, error.code === "forbidden" ? "disabled" : "expired");
  }
}

/** Opens the page that asks for a code, in this browser only. */
async function askForCode(app: Deps, { userId, next }: { userId: string; next: string }): Promise<Response> {
  const browser = newBrowserToken();
  const token = await insertProviderLink(app, { userId, browser });
  const response = redirectToDashboard({ Location: `/app/link/${token}?${new URLSearchParams({ next })}` });
  response.headers.append("Set-Cookie", linkCookieHeader(app, browser));
  response.headers.append("Set-Cookie", providerCookieHeader(app, ""));
  return response;
}

function pendingSignIn(app: Deps, request: Request): z.infer<typeof Pending> | undefined {
  const text = app.signInSeal.open(providerCookie(request) ?? "", sealIdentity);
  if (text === undefined) return undefined;
  const pending = Pending.parse(JSON.parse(text));
  return pending.expiresAt > app.now() ? pending : undefined;
}

function isLimited(app: Deps, request: Request, peer: string): boolean {
  const address = clientAddress(app, request, peer);
  try {
    app.attempts.provider.take({ address, account: networkOf(address) });
    return false;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return true;
  }
}

function failed(app: Deps, problem: Failure): Response {
  app.metrics.signIns.inc({ outcome: problem === "tooMany" ? "limited" : "refused" });
  const response = redirectToDashboard({ Location: `/app/sign-in?problem=${problem}` });
  response.headers.append("Set-Cookie", providerCookieHeader(app, ""));
  return response;
}
