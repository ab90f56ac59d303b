/** The codes of a response's `Waypost-Warning` header, in order: see "Warnings" in docs/api.md. */
export function warningCodes({ headers }: Pick<Response, "headers">): string[] {
  // Without the messages, in which anything may stand.
  const members = (headers.get("Waypost-Warning") ?? "").replace(/"(?:[^"\\]|\\.)*"/g, '""');
  return Array.from(members.matchAll(/[a-z_]+(?=;message="")/g), ([code]) => code);
}
