/**
 * What a person has chosen about the look, kept in cookies of /app, so that the server can write it into the page and
 * the first thing painted is right.
 */
import { type Language, languages } from "./languages.ts";

/** The looks that can be chosen; "system" follows the device, also when that changes. */
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const yearSeconds = 365 * 24 * 60 * 60;

function writeCookie(name: string, value: string): void {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  // The Cookie Store API is not in every browser yet.
  // biome-ignore lint/suspicious/noDocumentCookie: see above
  document.cookie = `${name}=${value}; Path=/app; Max-Age=${yearSeconds}; SameSite=Lax${secure}`;
}

function readCookie(name: string): string | undefined {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

/** The chosen language, else the first of the browser's that we speak, else English. */
export function preferredLanguage(): Language {
  const wanted = [readCookie("waypost_language") ?? "", ...navigator.languages];
  for (const tag of wanted) {
    const found = languages.find((language) => tag.toLowerCase().split("-")[0] === language);
    if (found !== undefined) return found;
  }
  return "en";
}

/** Keeps the choice for a year and tells the page's language to who reads it aloud; texts are changed by useSpeak. */
export function saveLanguage(language: Language): void {
  writeCookie("waypost_language", language);
  document.documentElement.lang = language;
}

/** The chosen theme; "system" where none was. */
export function preferredTheme(): Theme {
  return themes.find((theme) => theme === readCookie("waypost_theme")) ?? "system";
}

/** Keeps the choice for a year and paints the page in it. */
export function saveTheme(theme: Theme): void {
  writeCookie("waypost_theme", theme);
  applyTheme();
}

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

/** Paints the page in the chosen theme; call once, and it follows the system from then on. */
export function applyTheme(): void {
  const theme = preferredTheme();
  const isDark = theme === "dark" || (theme === "system" && systemIsDark.matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
}

systemIsDark.addEventListener("change", applyTheme);
