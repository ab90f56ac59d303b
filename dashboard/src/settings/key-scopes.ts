import type { ApiKey } from "./workspace-queries.ts";

/** A permission of a key, such as `links.read`. */
export type Scope = NonNullable<ApiKey["scopes"]>[number];

/** The resources that permissions are about. */
export const nouns = ["links", "analytics", "domains", "tags", "folders", "workspaces"] as const;
type Noun = (typeof nouns)[number];

/** The access levels of a resource, from none to write. */
export const levels = ["none", "read", "write"] as const;
type Level = (typeof levels)[number];
/** The access level of each resource. */
export type Levels = Record<Noun, Level>;

/** Most keys only read links. */
export const firstLevels: Levels = {
  ...{ links: "read", analytics: "none", domains: "none" },
  ...{ tags: "none", folders: "none", workspaces: "none" },
};

/** The scopes of the levels; write includes read. */
export function scopesOf(levels: Levels): Scope[] {
  return nouns.flatMap((noun): Scope[] => {
    const level = levels[noun];
    if (level === "none") return [];
    return level === "read" ? [`${noun}.read`] : [`${noun}.read`, `${noun}.write`];
  });
}

/** Read access to every resource. */
export const readingScopes: Scope[] = nouns.map((noun): Scope => `${noun}.read`);

/** Summarizes a key's scopes. */
export function accessOf(scopes: readonly Scope[] | null): "all" | "read" | "some" {
  if (scopes === null) return "all";
  const onlyReads = scopes.every((scope) => scope.endsWith(".read"));
  return onlyReads && readingScopes.every((scope) => scopes.includes(scope)) ? "read" : "some";
}
