import { type Actor, noWorkspace, requireRoleFor, requireScope } from "../../access/actor.ts";
import { authenticate } from "../../access/api-keys.ts";
import { accountBlocked } from "../../access/blocks.ts";
import { authenticateSession } from "../../access/sessions.ts";
import type { App } from "../../app.ts";
import { isAccessTokenText, isMistypedKey } from "../../base/api-key-text.ts";
import { notFound, Problem } from "../../base/problem.ts";
import { readWholeNumber } from "../../base/whole-number.ts";
import type { Access, Endpoint } from "./endpoint.ts";
import type { LimitHeaders, RateLimits } from "./rate-limits.ts";

const keyCharactersMax = 512;

/** The `workspaceId` in the path and in the query of a call. */
type RequestedWorkspace = { inPath: string | undefined; inQuery: string | string[] | undefined };

/** What a call presents to identify its caller. */
type Credentials = {
  /** The Authorization header. */
  header: string | null;
  /** The client's address: the peer's, or the one that a trusted proxy reports. */
  address: string;
  requested: RequestedWorkspace;
  /** Receives the header fields with the remaining calls. */
  limitHeaders: LimitHeaders;
};

/** What authorization uses. */
type AuthorizeDeps = Pick<App, "db" | "now" | "redirects">;

/** An operation that needs a key or an access token. */
type KeyedEndpoint = Pick<Endpoint, "isAboutUser" | "allowsNoWorkspace" | "allowsBlockedWorkspace"> & {
  scope: Access;
};

/**
 * Returns the actor of a call that may call this operation now.
 * Throws "bad_request" for a malformed header, "unprocessable_entity" for a malformed workspaceId in the query,
 * "unauthorized" for a missing or invalid key, "rate_limit_exceeded", "not_found" for a workspace that the user does not
 * belong to, and "forbidden" for an insufficient role or scope, for a missing second factor, for a user without a
 * workspace, and for a user or workspace that the operator has blocked.
 */
export async function authorize(
  app: AuthorizeDeps,
  limits: RateLimits,
  endpoint: KeyedEndpoint,
  credentials: Credentials,
): Promise<Actor> {
  const key = readKey(credentials.header);
  const workspaceId = readWorkspaceId(credentials.requested);
  const { address, limitHeaders: headers } = credentials;
  const actor = await limits.admit({ key, address, headers }, () => findActor(app, key, workspaceId));
  return await requireAllowed(app, endpoint, key, actor);
}

/**
 * Authorizes the caller again once the body has arrived, and without counting a call: a client can send it slowly, while
 * its session or key ends or its role changes. Throws as authorize does, except "rate_limit_exceeded".
 */
export async function authorizeAfterBody(
  app: AuthorizeDeps,
  endpoint: KeyedEndpoint,
  { header, requested }: Pick<Credentials, "header" | "requested">,
): Promise<Actor> {
  const key = readKey(header);
  return await requireAllowed(app, endpoint, key, await findActor(app, key, readWorkspaceId(requested)));
}

/**
 * Authorizes the caller again while a response is being streamed, by the current state and without counting a call.
 * Throws as authorize does, except "rate_limit_exceeded".
 */
export async function reauthorize(
  app: AuthorizeDeps,
  endpoint: KeyedEndpoint,
  header: string | null,
  actor: Actor,
): Promise<Actor> {
  const key = readKey(header);
  return await requireAllowed(app, endpoint, key, await findActor(app, key, actor.workspaceId));
}

async function findActor(app: AuthorizeDeps, key: string, workspaceId: number | undefined): Promise<Actor | undefined> {
  const find = isAccessTokenText(key) ? authenticateSession : authenticate;
  return await find(app, key, workspaceId);
}

async function requireAllowed(
  app: AuthorizeDeps,
  endpoint: KeyedEndpoint,
  key: string,
  actor: Actor | undefined,
): Promise<Actor> {
  if (actor === undefined) {
    if (isAccessTokenText(key)) {
      throw new Problem("unauthorized", "This access token is unknown or expired, or its session has ended.", {
        hint: "If you are signed in, POST /app/token returns a new one.",
      });
    }
    const reason = isMistypedKey(key) ? "has a typo: its checksum does not match" : "is unknown, expired or revoked";
    throw new Problem("unauthorized", `This API key ${reason}.`);
  }
  await refuseBlocked(app, endpoint, actor);
  refuseWithoutSecondFactor(endpoint, actor);
  requireAccess(actor, endpoint);
  if (actor.workspaceId === noWorkspace && endpoint.allowsNoWorkspace !== true) {
    throw new Problem("forbidden", "You belong to no workspace; create one, or accept an invite.");
  }
  return actor;
}

/** In a blocked workspace, a user can still list workspaces and the blocks of this one. */
async function refuseBlocked(
  { redirects }: AuthorizeDeps,
  { allowsNoWorkspace, allowsBlockedWorkspace }: KeyedEndpoint,
  actor: Actor,
): Promise<void> {
  const blocks = await redirects.lookup.blocks();
  if (blocks.hasUser(actor.userId)) throw accountBlocked();
  if (allowsNoWorkspace !== true && allowsBlockedWorkspace !== true && blocks.hasWorkspace(actor.workspaceId)) {
    throw new Problem("forbidden", "The operator of this service has blocked this workspace.");
  }
}

/** Without the required second factor, a person or their key can still do what sets one up: change their own account. */
function refuseWithoutSecondFactor({ allowsNoWorkspace }: KeyedEndpoint, actor: Actor): void {
  if (actor.lacksSecondFactor !== true || allowsNoWorkspace === true) return;
  if (actor.apiKeyId !== undefined) {
    throw new Problem(
      "forbidden",
      "This workspace requires a second factor, and the owner of this API key has none. The key works again once they set up one-time codes or a passkey in their account.",
    );
  }
  throw new Problem(
    "forbidden",
    "This workspace requires a second factor. Set up one-time codes or a passkey in your account, or sign in again with it.",
  );
}

function requireAccess(actor: Actor, { scope, isAboutUser }: KeyedEndpoint): void {
  if (scope === "session") {
    if (actor.sessionId !== undefined) return;
    throw new Problem("forbidden", "API keys cannot do this; sign in to the dashboard.");
  }
  if (scope === "user") {
    if (actor.scopes === null) return;
    throw new Problem("forbidden", "An API key with scopes cannot access its user's account; use one without scopes.");
  }
  requireScope(actor, scope);
  if (isAboutUser !== true) requireRoleFor(actor, scope);
}

function readKey(header: string | null): string {
  if (header === null) {
    throw new Problem("unauthorized", "Send your API key in the header Authorization: Bearer <API_KEY>.");
  }
  const key = /^Bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1];
  if (key === undefined) {
    throw new Problem("bad_request", 'Authorization: must be "Bearer " followed by an API key.');
  }
  if (key.length > keyCharactersMax) throw new Problem("unauthorized", "This API key is unknown, expired or revoked.");
  return key;
}

/** The workspace in the path decides; a workspace in the query must be the same one. */
function readWorkspaceId({ inPath, inQuery }: RequestedWorkspace): number | undefined {
  const requestedId = inQuery === undefined ? undefined : readNumber(inQuery);
  if (inPath === undefined) return requestedId;
  if (!workspaceNumber.test(inPath) || (requestedId !== undefined && requestedId !== Number(inPath)))
    throw notFound("workspace");
  return Number(inPath);
}

const workspaceNumber = /^\d{1,9}$/;

function readNumber(value: string | string[]): number {
  const number = typeof value === "string" ? readWholeNumber(value) : undefined;
  if (number === undefined) {
    throw new Problem("unprocessable_entity", "workspaceId: must be the id of a workspace, such as 1.");
  }
  return number;
}
