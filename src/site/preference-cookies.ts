/**
 * The preferences that the dashboard stores in cookies of /app (see dashboard/src/base/preferences.ts); the server
 * reads them to render its pages.
 */

/** A chosen theme; without one the page follows the system. */
export type Theme = "light" | "dark";

/** The chosen theme; undefined for the system's. */
export function themeOf({ headers }: Pick<Request, "headers">): Theme | undefined {
  const chosen = /(?:^|; )waypost_theme=(light|dark)(?:;|$)/.exec(headers.get("cookie") ?? "")?.[1];
  return chosen === "light" || chosen === "dark" ? chosen : undefined;
}

/** The chosen language as a tag such as "de", which may be unsupported; undefined for none. */
export function languageOf({ headers }: Pick<Request, "headers">): string | undefined {
  return /(?:^|; )waypost_language=([a-z]{2})(?:;|$)/.exec(headers.get("cookie") ?? "")?.[1];
}
