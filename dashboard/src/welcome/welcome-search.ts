/** How far somebody has come in the first run: without a step at its beginning, with a link at its end, and whether its key was chosen. */
export type WelcomeSearch = { step?: "link"; link?: string; hasOwnKey?: true };

/** Reads the address of the first run; a step that nobody can be at is its beginning. */
export function readWelcomeSearch({ step, link, hasOwnKey }: Record<string, unknown>): WelcomeSearch {
  if (typeof link === "string" && /^link_\w+$/.test(link)) return { link, ...(hasOwnKey === true && { hasOwnKey }) };
  return step === "link" ? { step } : {};
}
