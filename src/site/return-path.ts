/** Characters of a path to open after signing in: longer than any path of the dashboard with its filters. */
export const nextCharactersMax = 2_000;

/**
 * The path to open after signing in: the dashboard's page `next`, such as "/w/1/links?search=a", or its first page.
 * Guarantee: the path begins with /app, so that no link leads to another site after signing in.
 */
export function returnPath(next: string | null | undefined): string {
  if (!next || next.length > nextCharactersMax || !/^\/(?![/\\])/.test(next)) return "/app";
  const { pathname, search, hash } = new URL(`/app${next}`, "http://localhost");
  return pathname.startsWith("/app/") ? `${pathname}${search}${hash}` : "/app";
}
