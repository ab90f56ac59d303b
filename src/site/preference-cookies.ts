/**
 * What the dashboard keeps for a browser in cookies of /app (see dashboard/src/base/preferences.ts), as the server reads
 * them to write the look into a page.
 */

/** A theme chosen for good; a browser without one follows its system. */
export type Theme = "light" | "dark";

/** The chosen theme; undefined where none was, or the system's was. */
export function themeOf({ headers }: Pick<Request, "headers">): Theme | undefined {
  const chosen = /(?:^|; )waypost_theme=(light|dark)(?:;|$)/.exec(headers.get("cookie") ?? "")?.[1];
  return chosen === "light" || chosen === "dark" ? chosen : undefined;
}

/** The chosen language, as a tag such as "de", which need not be one we speak; undefined where none was. */
export function languageOf({ headers }: Pick<Request, "headers">): string | undefined {
  return /(?:^|; )waypost_language=([a-z]{2})(?:;|$)/.exec(headers.get("cookie") ?? "")?.[1];
}
