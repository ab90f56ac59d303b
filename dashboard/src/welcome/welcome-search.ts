/**
 * The step of the first run, as its URL describes it: none for the first, a link's id for the last, and whether the
 * link's key was chosen.
 */
export type WelcomeSearch = { step?: "link"; link?: string; hasOwnKey?: true };

/** Parses the URL of the first run; an invalid step is the first one. */
export function readWelcomeSearch({ step, link, hasOwnKey }: Record<string, unknown>): WelcomeSearch {
  if (typeof link === "string" && /^link_\w+$/.test(link)) return { link, ...(hasOwnKey === true && { hasOwnKey }) };
  return step === "link" ? { step } : {};
}
