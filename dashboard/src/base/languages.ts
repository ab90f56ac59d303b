/** Languages the dashboard speaks. */
export const languages = ["en", "de", "zh"] as const;
export type Language = (typeof languages)[number];
/** The languages in their own words, for who does not read the present one. */
export const languageNames: Record<Language, string> = { en: "English", de: "Deutsch", zh: "中文" };

/**
 * How numbers and times are written: as people of a language do where the browser is at home, which says it by its tags.
 * Shape: such as "en-GB"; the language alone where no tag is of it. Of Chinese with the characters that our texts have.
 */
export function localeOf(language: Language, tags: readonly string[]): string {
  const tag = tags.find((each) => each.toLowerCase().split("-")[0] === language) ?? "";
  // Read by hand: some browsers say what is no tag, such as "en-US@posix", which Intl.Locale throws for.
  const region = /^[a-z]+(?:-[a-z]{4})?-([a-z]{2})\b/i.exec(tag)?.[1];
  if (region === undefined) return language;
  return `${language}${language === "zh" ? "-Hans" : ""}-${region.toUpperCase()}`;
}
