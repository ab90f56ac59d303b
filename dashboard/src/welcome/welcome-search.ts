/**
 * The step of the first run, as its URL describes it: a link's id once it is created, and whether the link's key was
 * chosen.
 */
export type WelcomeSearch = { link?: string; hasOwnKey?: true };

/** Parses the URL of the first run; without a valid link it is the first step. */
export function readWelcomeSearch({ link, hasOwnKey }: Record<string, unknown>): WelcomeSearch {
  if (typeof link === "string" && /^link_\w+$/.test(link)) return { link, ...(hasOwnKey === true && { hasOwnKey }) };
  return {};
}
