import { Problem } from "../base/problem.ts";
import type { Role } from "../database/schema.ts";

const scopeNouns = ["workspaces", "links", "domains", "tags", "folders", "analytics"] as const;
const scopeVerbs = ["read", "write"] as const;
/** A permission that an API key can be limited to: reading or writing a noun. */
export type Scope = `${(typeof scopeNouns)[number]}.${(typeof scopeVerbs)[number]}`;

/** Every scope that an API key can be limited to. */
export const scopes: readonly Scope[] = scopeNouns.flatMap((noun) =>
  scopeVerbs.map((verb): Scope => `${noun}.${verb}`),
);

/** The caller: a user who acts in one workspace with a role there, possibly through a key with scopes. */
export type Actor = {
  userId: string;
  workspaceId: number;
  role: Role;
  /** null allows everything that the role allows. */
  scopes: ReadonlySet<Scope> | null;
  /** The expiry of the calling key, in milliseconds since the epoch; null without one. */
  expiresAt: number | null;
  /** True for a key that acts only in the workspace where it was created; absent when a person calls. */
  isBoundToWorkspace?: boolean;
  /** The calling API key; absent when a person calls. */
  apiKeyId?: string;
  /** The caller's session; absent when a key calls. */
  sessionId?: string;
  /** True for a session in which the person has proven more than a password. */
  hasSecondFactor?: boolean;
  /**
   * True in a workspace that requires a second factor, for a session without one, and for a key whose user has none, nor
   * an identity provider that checks one: a key is as safe as the account that can create another one.
   */
  lacksSecondFactor?: boolean;
};

/** The workspace of a signed-in person who is a member of none; no workspace has this number. */
export const noWorkspace = 0;

/** Throws "forbidden" unless the actor's key has this scope. */
export function requireScope(actor: Actor, scope: Scope): void {
  if (actor.scopes !== null && !actor.scopes.has(scope)) {
    throw new Problem("forbidden", `This API key lacks the scope ${scope}.`);
  }
}

/** Throws "forbidden" unless the actor's role may use this scope in its workspace: a viewer only reads. */
export function requireRoleFor(actor: Actor, scope: Scope): void {
  if (actor.role === "viewer" && scope.endsWith(".write")) {
    throw new Problem("forbidden", "Only members and owners of this workspace can do this; you are a viewer.");
  }
}

/** Throws "forbidden" unless the actor is an owner of the workspace. */
export function requireOwner(actor: Actor): void {
  if (actor.role !== "owner") throw new Problem("forbidden", "Only an owner of this workspace can do this.");
}

/**
 * Throws "forbidden" for a key that expires or has scopes: an owner whom such a key makes could do more than the key,
 * and after its end.
 */
export function requireUnlimitedKey(actor: Actor): void {
  if (actor.scopes === null && actor.expiresAt === null) return;
  throw new Problem("forbidden", "role: an API key with an expiry or with scopes cannot grant the role owner.");
}
