/** Languages the dashboard speaks. */
export const languages = ["en", "de", "zh"] as const;
export type Language = (typeof languages)[number];
/** The languages in their own words, for who does not read the present one. */
export const languageNames: Record<Language, string> = { en: "English", de: "Deutsch", zh: "中文" };
