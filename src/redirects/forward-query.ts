/** Forwards the parameters of a visit to the destination. */

/** Parameters for Waypost; they are not forwarded. */
const ownParameters = new Set(["qr", "pw", "dub-no-track"]);

/**
 * The destination with the visit's parameters. The visitor's values replace those of the link with the same name. The
 * rest of the link's query keeps its exact text, which some destinations sign.
 */
export function forwardQuery(url: string, query: string): string {
  if (query.length < 2) return url;
  const passed = [...new URLSearchParams(query)].filter(([name]) => !ownParameters.has(name));
  if (passed.length === 0) return url;
  const replaced = new Set(passed.map(([name]) => name));
  const [beforeFragment, fragment] = cutAt(url, "#");
  const [base, ownQuery] = cutAt(beforeFragment, "?");
  const pairs = ownQuery
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "");
  const names = namesOf(pairs);
  const unreplaced = pairs.filter((_, index) => !replaced.has(names[index] ?? ""));
  return `${base}?${[...unreplaced, new URLSearchParams(passed).toString()].join("&")}${fragment}`;
}

/** Splits the text before the first `mark`; the second part is "" without one. */
function cutAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at)];
}

/**
 * The names of pairs. Those with escapes are decoded together: a parser for each pair of a URL of 32,000 characters would
 * occupy the thread for 7 ms at each visit, which a request of 70 bytes causes.
 */
function namesOf(pairs: readonly string[]): string[] {
  const names: string[] = [];
  const escaped: number[] = [];
  for (const pair of pairs) {
    const end = pair.indexOf("=");
    const name = end === -1 ? pair : pair.slice(0, end);
    if (name.includes("%") || name.includes("+")) escaped.push(names.length);
    names.push(name);
  }
  if (escaped.length === 0) return names;
  // The parser skips empty pairs, which have no escapes, and a "?" at the beginning.
  const decoded = [...new URLSearchParams(`?${escaped.map((index) => names[index]).join("&")}`).keys()];
  for (const [order, index] of escaped.entries()) names[index] = decoded[order] ?? "";
  return names;
}

/** True when the query has the parameter, with this value if one is given. */
export function hasParameter(query: string, name: string, value?: string): boolean {
  // Most visits have no query, which saves the parsing.
  if (query === "" || !query.includes(name)) return false;
  const parameters = new URLSearchParams(query);
  return value === undefined ? parameters.has(name) : parameters.get(name) === value;
}
