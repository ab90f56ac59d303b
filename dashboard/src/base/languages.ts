/** Languages of the dashboard. */
export const languages = ["en", "de", "zh"] as const;
export type Language = (typeof languages)[number];
/** The languages' own names, for people who do not read the current one. */
export const languageNames: Record<Language, string> = { en: "English", de: "Deutsch", zh: "中文" };

/**
 * The locale for numbers and times: the language with the region of the browser's first tag in that language.
 * Shape: such as "en-GB"; the language alone when no tag matches. Chinese is always in simplified characters, as our
 * texts.
 */
export function localeOf(language: Language, tags: readonly string[]): string {
  const tag = tags.find((each) => each.toLowerCase().split("-")[0] === language) ?? "";
  // Parsed by hand: some browsers have invalid tags such as "en-US@posix", for which Intl.Locale throws.
  const region = /^[a-z]+(?:-[a-z]{4})?-([a-z]{2})\b/i.exec(tag)?.[1];
  if (region === undefined) return language;
  return `${language}${language === "zh" ? "-Hans" : ""}-${region.toUpperCase()}`;
}
