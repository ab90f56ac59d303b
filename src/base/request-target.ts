/** The path of a request without its leading slash, and its query with its "?" or as "". Both still percent-encoded. */
export type RequestTarget = { path: string; query: string };

const slash = "/".charCodeAt(0);

/**
 * Takes a request's url apart without `new URL`: for speed, and because a client may send a Host that is none, of which
 * Bun makes a url that cannot be parsed, or one that is a path alone.
 */
export function splitTarget(url: string): RequestTarget {
  // Behind "https://" at the latest a host begins, which has no slash.
  const pathStart = url.charCodeAt(0) === slash ? 0 : url.indexOf("/", "https://".length);
  if (pathStart === -1) return { path: "", query: "" };
  const queryStart = url.indexOf("?", pathStart);
  if (queryStart === -1) return { path: url.slice(pathStart + 1), query: "" };
  return { path: url.slice(pathStart + 1, queryStart), query: url.slice(queryStart) };
}

/** The path as routers want it; they decode its parameters themselves. */
export function routedPath({ url }: Request): string {
  return `/${splitTarget(url).path}`;
}
