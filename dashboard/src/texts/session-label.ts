import type { Texts } from "./en/en.ts";

/** The name of a browser in which a person is signed in, such as "Chrome on Linux", which the API gives in English. */
export function sessionLabel(label: string, { settings, welcome }: Texts): string {
  const [browser = "", os] = label.split(" on ");
  if (os !== undefined) return welcome.with(browser, os);
  return label === "Unknown browser" ? settings.unknownBrowser : label;
}
