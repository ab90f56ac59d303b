/** The parameters of a query, each as a text that no other parameter has: a set finds one among thousands at once. */
export function parameterTexts(parameters: URLSearchParams): ReadonlySet<string> {
  return new Set(Array.from(parameters, ([name, value]) => parameterText(name, value)));
}

/** The text of one parameter. */
export function parameterText(name: string, value: string): string {
  return `${name.length} ${name}${value}`;
}
