/**
 * Signs people in with an OpenID Connect provider.
 *
 * 1. Authorization code with PKCE, state and nonce. ID tokens are checked with the provider's keys, too.
 * 2. Every request has a time limit and a bound of its response, and follows no redirect. The provider is the operator's,
 *    so it may have a private address.
 * 3. The provider's description is read again after an hour. While that fails, the earlier one stays in use.
 * 4. Loaded with the first sign-in, since most instances have no provider.
 */
import type { Configuration, CustomFetch } from "openid-client";
import { messageOf } from "../base/message-of.ts";
import { hourMs, secondMs } from "../base/time.ts";
import { type Config, ConfigError } from "../config.ts";

/** Timeout of one request to the provider. */
const requestMsMax = 8 * secondMs;
/** Bytes of a response; descriptions, keys and tokens have some kilobytes. */
const responseBytesMax = 512 * 1024;
const groupsMax = 1_000;
const causesMax = 5;
const clockToleranceSeconds = 30;

/** What a browser keeps between the two halves of a sign-in. */
type ProviderChecks = { state: string; nonce: string; verifier: string };

/** A person as the provider describes them. */
export type Identity = {
  issuer: string;
  subject: string;
  email: string | undefined;
  isEmailVerified: boolean;
  name: string | undefined;
  groups: string[];
  hasSecondFactor: boolean;
};

/** The result of a sign-in: refused by the provider or by a check, or the provider did not respond. */
type ProviderOutcome =
  | { kind: "identity"; identity: Identity }
  | { kind: "refused"; reason: string }
  | { kind: "unreachable"; reason: string };

/** The provider of the options. */
export type IdentityProvider = {
  name: string;
  /** The URL at the provider that begins a sign-in; "unreachable" when the provider does not respond. */
  begin(): Promise<
    { kind: "begun"; url: URL; checks: ProviderChecks } | Extract<ProviderOutcome, { kind: "unreachable" }>
  >;
  /** Reads the signed-in person from the query of the redirect by which the provider sent the browser back. */
  finish(query: string, checks: ProviderChecks): Promise<ProviderOutcome>;
};

type Deps = { now: () => number };

/** Opens the provider; undefined without one. Throws ConfigError for options that do not fit together. */
export function openIdentityProvider(config: Config, { now }: Deps): IdentityProvider | undefined {
  const issuer = config.WAYPOST_OIDC_ISSUER;
  if (issuer === undefined) {
    if (config.WAYPOST_PASSWORD_SIGN_IN === "on") return undefined;
    throw new ConfigError("WAYPOST_PASSWORD_SIGN_IN is off: nobody could sign in without WAYPOST_OIDC_ISSUER. Set it.");
  }
  const clientId = config.WAYPOST_OIDC_CLIENT_ID;
  if (clientId === undefined) {
    throw new ConfigError(
      "WAYPOST_OIDC_CLIENT_ID: it is needed with WAYPOST_OIDC_ISSUER. Set the provider's client id.",
    );
  }
  const settings = { config, clientId, redirectUri: new URL("/app/oidc/callback", config.WAYPOST_URL) };
  const description = descriptionReader({ issuer, clientId, config }, now);
  return {
    name: config.WAYPOST_OIDC_NAME,
    begin: () => outcomeOf(async () => await begin(await description(), settings)).then(unreachableOnly),
    finish: (query, checks) => outcomeOf(async () => await finish(await description(), settings, query, checks)),
  };
}

type Settings = { config: Config; clientId: string; redirectUri: URL };
type Begun = { kind: "begun"; url: URL; checks: ProviderChecks };

/** Without a usable description no sign-in begins, whatever the reason. */
function unreachableOnly(outcome: Begun | ProviderOutcome): Begun | Extract<ProviderOutcome, { kind: "unreachable" }> {
  if (outcome.kind === "begun" || outcome.kind === "unreachable") return outcome;
  return { kind: "unreachable", reason: outcome.kind === "refused" ? outcome.reason : "" };
}

/** Reads the provider's description at most once an hour; concurrent callers share one request. */
function descriptionReader(
  { issuer, clientId, config }: { issuer: URL; clientId: string; config: Config },
  now: () => number,
): () => Promise<Configuration> {
  let known: { description: Configuration; at: number } | undefined;
  let reading: Promise<Configuration> | undefined;
  async function read(): Promise<Configuration> {
    const client = await import("openid-client");
    const secret = config.WAYPOST_OIDC_CLIENT_SECRET;
    const description = await client.discovery(
      issuer,
      clientId,
      { [client.clockTolerance]: clockToleranceSeconds },
      secret === undefined ? client.None() : client.ClientSecretBasic(secret),
      {
        [client.customFetch]: boundedFetch,
        timeout: requestMsMax / secondMs,
        execute: [
          client.enableNonRepudiationChecks,
          ...(issuer.protocol === "http:" ? [client.allowInsecureRequests] : []),
        ],
      },
    );
    known = { description, at: now() };
    return description;
  }
  return async () => {
    if (known !== undefined && now() - known.at < hourMs) return known.description;
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return known === undefined ? await reading : await reading.catch(() => known?.description ?? reading ?? read());
  };
}

async function begin(description: Configuration, { config, redirectUri }: Settings): Promise<Begun> {
  const client = await import("openid-client");
  const checks = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
  };
  const url = client.buildAuthorizationUrl(description, {
    redirect_uri: redirectUri.href,
    scope: config.WAYPOST_OIDC_SCOPES,
    state: checks.state,
    nonce: checks.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
    code_challenge_method: "S256",
  });
  return { kind: "begun", url, checks };
}

async function finish(
  description: Configuration,
  { config, redirectUri }: Settings,
  query: string,
  { state, nonce, verifier }: ProviderChecks,
): Promise<ProviderOutcome> {
  const client = await import("openid-client");
  const callback = new URL(redirectUri);
  callback.search = query;
  const tokens = await client.authorizationCodeGrant(description, callback, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const idToken = tokens.claims();
  if (idToken === undefined) return { kind: "refused", reason: "The provider sent no ID token." };
  const groupsClaim = config.WAYPOST_OIDC_GROUPS_CLAIM;
  const isComplete = idToken["email"] !== undefined && idToken[groupsClaim] !== undefined;
  const hasUserInfo = description.serverMetadata().userinfo_endpoint !== undefined;
  const more =
    isComplete || !hasUserInfo ? {} : await client.fetchUserInfo(description, tokens.access_token, idToken.sub);
  const trusts = config.WAYPOST_OIDC_TRUST_SECOND_FACTOR;
  return { kind: "identity", identity: identityOf(mergedClaims(idToken, more), { groupsClaim, trusts }) };
}

/** The claims of the ID token and, for what it lacks, of the user info. An address keeps the verification beside it. */
function mergedClaims(idToken: Record<string, unknown>, more: Record<string, unknown>): Record<string, unknown> {
  const { email, email_verified } = idToken["email"] === undefined ? more : idToken;
  return { ...more, ...idToken, email, email_verified };
}

function identityOf(
  claims: Record<string, unknown>,
  { groupsClaim, trusts }: { groupsClaim: string; trusts: boolean },
): Identity {
  const { iss, sub, email, email_verified, name, amr } = claims;
  return {
    issuer: String(iss),
    subject: String(sub),
    email: typeof email === "string" ? email : undefined,
    isEmailVerified: email_verified === true,
    name: typeof name === "string" ? name : undefined,
    groups: textsOf(claims[groupsClaim]).slice(0, groupsMax),
    hasSecondFactor: trusts || textsOf(amr).includes("mfa"),
  };
}

/** A claim with one text, or with a list of them. */
function textsOf(claim: unknown): string[] {
  const values: unknown[] = Array.isArray(claim) ? claim : [claim];
  return values.filter((value) => typeof value === "string");
}

class Unreachable extends Error {
  override readonly name = "Unreachable";
}

async function outcomeOf<Result>(work: () => Promise<Result>): Promise<Result | ProviderOutcome> {
  try {
    return await work();
  } catch (error) {
    const reason = reasonOf(error);
    return isUnreachable(error) ? { kind: "unreachable", reason } : { kind: "refused", reason };
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? ` (${messageOf(error.cause)})` : "";
  return `${messageOf(error)}${cause}`.slice(0, 500);
}

function isUnreachable(error: unknown): boolean {
  let each = error;
  for (let causes = 0; causes < causesMax && each instanceof Error; causes++) {
    if (each instanceof Unreachable) return true;
    each = each.cause;
  }
  return false;
}

type SentRequest = Parameters<CustomFetch>[1];

/** A request with a time limit, without redirects, whose response is bounded. Throws Unreachable. */
async function boundedFetch(url: string, { method, headers, body }: SentRequest): Promise<Response> {
  try {
    const response = await fetch(url, {
      method,
      headers,
      body: body ?? null,
      redirect: "manual",
      signal: AbortSignal.timeout(requestMsMax),
    });
    const bytes = await readBounded(response);
    if (response.status >= 500) throw new Error(`The provider answered with the status ${response.status}.`);
    const type = response.headers.get("content-type");
    return new Response(bytes, { status: response.status, headers: type === null ? {} : { "Content-Type": type } });
  } catch (error) {
    throw new Unreachable(messageOf(error), { cause: error });
  }
}

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (response.body === null || response.status === 204) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > responseBytesMax) throw new Error(`The provider sent more than ${responseBytesMax} bytes.`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
