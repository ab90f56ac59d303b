/** Which parameters of a visit are passed on to the destination. */

/** Parameters that speak to us; they are not passed on. */
const ownParameters = new Set(["qr", "pw", "dub-no-track"]);

/**
 * The destination with the visit's parameters; where both have a name, the visitor's values replace the link's. What
 * stays of the link's own query stays as it is written, since some destinations have it signed.
 */
export function forwardQuery(url: string, query: string): string {
  if (query.length < 2) return url;
  const passed = [...new URLSearchParams(query)].filter(([name]) => !ownParameters.has(name));
  if (passed.length === 0) return url;
  const replaced = new Set(passed.map(([name]) => name));
  const [beforeFragment, fragment] = cutAt(url, "#");
  const [base, ownQuery] = cutAt(beforeFragment, "?");
  const kept = ownQuery
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "" && !replaced.has(nameOfPair(pair)));
  return `${base}?${[...kept, new URLSearchParams(passed).toString()].join("&")}${fragment}`;
}

/** The text before the first mark, and the rest with the mark; the rest is "" where there is none. */
function cutAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at)];
}

function nameOfPair(pair: string): string {
  const [name = ""] = new URLSearchParams(pair).keys();
  return name;
}

/** Whether the query carries a parameter with this value, or with any. */
export function hasParameter(query: string, name: string, value?: string): boolean {
  // Most visits have none, and need no parsing.
  if (query === "" || !query.includes(name)) return false;
  const parameters = new URLSearchParams(query);
  return value === undefined ? parameters.has(name) : parameters.get(name) === value;
}
