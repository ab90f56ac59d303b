/**
 * The person's theme and language, kept in cookies of /app, so that the server can render them into the page and its
 * first paint is right.
 */
import { type Language, languages } from "./languages.ts";

/** The themes to choose from; "system" follows the device, also when it changes. */
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const yearSeconds = 365 * 24 * 60 * 60;

function writeCookie(name: string, value: string): void {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  // Not every browser has the Cookie Store API yet.
  // biome-ignore lint/suspicious/noDocumentCookie: see above
  document.cookie = `${name}=${value}; Path=/app; Max-Age=${yearSeconds}; SameSite=Lax${secure}`;
}

function readCookie(name: string): string | undefined {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

/** The chosen language, else the browser's first language that the dashboard has, else English. */
export function preferredLanguage(): Language {
  const preferredLanguages = [readCookie("waypost_language") ?? "", ...navigator.languages];
  for (const tag of preferredLanguages) {
    const found = languages.find((language) => tag.toLowerCase().split("-")[0] === language);
    if (found !== undefined) return found;
  }
  return "en";
}

/** Stores the choice for a year and sets the page's language for screen readers; useSetLanguage changes the texts. */
export function saveLanguage(language: Language): void {
  writeCookie("waypost_language", language);
  document.documentElement.lang = language;
}

/** The chosen theme; "system" by default. */
export function preferredTheme(): Theme {
  return themes.find((theme) => theme === readCookie("waypost_theme")) ?? "system";
}

/** Stores the choice for a year and applies it. */
export function saveTheme(theme: Theme): void {
  writeCookie("waypost_theme", theme);
  applyTheme();
}

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

/** Applies the chosen theme. After the first call the page follows changes of the system's theme. */
export function applyTheme(): void {
  const theme = preferredTheme();
  const isDark = theme === "dark" || (theme === "system" && systemIsDark.matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
}

systemIsDark.addEventListener("change", applyTheme);
