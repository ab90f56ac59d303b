/** An address as people write it: without scheme, and without a slash at the end of a host. */
export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, "").replace(/^([^/]+)\/$/, "$1");
}
