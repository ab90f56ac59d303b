import type { ApiKey } from "./workspace-queries.ts";

/** What a key may do with one noun, such as `links.read`. */
export type Scope = NonNullable<ApiKey["scopes"]>[number];

/** What a key can be limited to. */
export const nouns = ["links", "analytics", "domains", "tags", "folders", "workspaces"] as const;
type Noun = (typeof nouns)[number];

/** What a key may do with a noun, from nothing on. */
export const levels = ["none", "read", "write"] as const;
type Level = (typeof levels)[number];
/** What a key may do with each noun. */
export type Levels = Record<Noun, Level>;

/** Reading links is what most keys do. */
export const firstLevels: Levels = {
  ...{ links: "read", analytics: "none", domains: "none" },
  ...{ tags: "none", folders: "none", workspaces: "none" },
};

/** The scopes that the levels mean: who changes things reads them too. */
export function scopesOf(levels: Levels): Scope[] {
  return nouns.flatMap((noun): Scope[] => {
    const level = levels[noun];
    if (level === "none") return [];
    return level === "read" ? [`${noun}.read`] : [`${noun}.read`, `${noun}.write`];
  });
}

/** Every noun, read alone. */
export const readingScopes: Scope[] = nouns.map((noun): Scope => `${noun}.read`);

/** What to say of a key's scopes. */
export function accessOf(scopes: readonly Scope[] | null): "all" | "read" | "some" {
  if (scopes === null) return "all";
  const onlyReads = scopes.every((scope) => scope.endsWith(".read"));
  return onlyReads && readingScopes.every((scope) => scopes.includes(scope)) ? "read" : "some";
}
