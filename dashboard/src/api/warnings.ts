/** The codes in a response's `Waypost-Warning` header, in order: see "Warnings" in docs/api.md. */
export function warningCodes({ headers }: Pick<Response, "headers">): string[] {
  // Messages are removed first, since they can contain any text.
  const members = (headers.get("Waypost-Warning") ?? "").replace(/"(?:[^"\\]|\\.)*"/g, '""');
  return Array.from(members.matchAll(/[a-z_]+(?=;message="")/g), ([code]) => code);
}
