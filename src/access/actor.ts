import { Problem } from "../base/problem.ts";
import type { Role } from "../database/schema.ts";

const scopeNouns = ["workspaces", "links", "domains", "tags", "folders", "analytics"] as const;
const scopeVerbs = ["read", "write"] as const;
/** One thing an API key may be limited to: a noun, read or written. */
export type Scope = `${(typeof scopeNouns)[number]}.${(typeof scopeVerbs)[number]}`;

/** Every scope an API key can be limited to. */
export const scopes: readonly Scope[] = scopeNouns.flatMap((noun) =>
  scopeVerbs.map((verb): Scope => `${noun}.${verb}`),
);

/** Who is calling: a user, acting in one workspace with a role there, perhaps through a key limited by scopes. */
export type Actor = {
  userId: string;
  workspaceId: number;
  role: Role;
  /** null means everything the role allows. */
  scopes: ReadonlySet<Scope> | null;
  /** When the key that calls ends, in milliseconds since the epoch; null means that nothing limits it in time. */
  expiresAt: number | null;
  /** True for a key that acts only in the workspace where it was created; absent where a person calls. */
  isBoundToWorkspace?: boolean;
  /** The session that calls, of a person who has signed in; absent where a key calls. */
  sessionId?: string;
};

/** Where a person acts who has signed in and belongs to no workspace: none has this number. */
export const noWorkspace = 0;

/** Lets a key with this scope pass, or throws Problem "forbidden". */
export function requireScope(actor: Actor, scope: Scope): void {
  if (actor.scopes !== null && !actor.scopes.has(scope)) {
    throw new Problem("forbidden", `This API key lacks the scope ${scope}.`);
  }
}

/** Lets a role that may use this scope in its workspace pass, or throws Problem "forbidden": a viewer only reads. */
export function requireRoleFor(actor: Actor, scope: Scope): void {
  if (actor.role === "viewer" && scope.endsWith(".write")) {
    throw new Problem(
      "forbidden",
      "You are a viewer of this workspace, and viewers only read; a member or owner can do this.",
    );
  }
}

/** Lets an owner of the workspace pass, or throws Problem "forbidden". */
export function requireOwner(actor: Actor): void {
  if (actor.role !== "owner") throw new Problem("forbidden", "Only an owner of this workspace can do this.");
}

/**
 * Lets people and keys without limits pass, or throws Problem "forbidden": an owner made by a key that expires, or that
 * is limited by scopes, could do more than the key, and after its end.
 */
export function requireUnlimitedKey(actor: Actor): void {
  if (actor.scopes === null && actor.expiresAt === null) return;
  throw new Problem("forbidden", "role: an API key that expires or is limited by scopes cannot make owners.");
}
