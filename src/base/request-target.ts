/** The path of a request without its leading slash, and its query with its "?" or as "". Both still percent-encoded. */
export type RequestTarget = { path: string; query: string };

/**
 * Takes a request's url apart without `new URL`: for speed, and because a client may send a Host that is none, of which
 * Bun makes a url that cannot be parsed, or one that is a path alone.
 */
export function splitTarget(url: string): RequestTarget {
  const pathStart = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  const rest = pathStart === -1 ? "" : url.slice(pathStart + 1);
  const queryStart = rest.indexOf("?");
  if (queryStart === -1) return { path: rest, query: "" };
  return { path: rest.slice(0, queryStart), query: rest.slice(queryStart) };
}

/** The path as routers want it; they decode its parameters themselves. */
export function routedPath({ url }: Request): string {
  return `/${splitTarget(url).path}`;
}
