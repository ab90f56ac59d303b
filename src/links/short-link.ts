import { invalid } from "../base/problem.ts";
import { rootKey } from "../domains/domain.ts";
import { decodedPath, lookupKey } from "./key.ts";
import type { Link, LinkRow } from "./link.ts";

/** The short link's URL: https on the workspaces' domains, the service's scheme and port on its own. */
export function shortLinkOf(
  { domain, key, isOnInstanceDomain }: Pick<Link, "domain" | "key" | "isOnInstanceDomain">,
  appUrl: URL,
): string {
  const port = appUrl.port === "" ? "" : `:${appUrl.port}`;
  const origin = isOnInstanceDomain ? `${appUrl.protocol}//${domain}${port}` : `https://${domain}`;
  return key === rootKey ? origin : `${origin}/${encodeURI(key)}`;
}

/**
 * Throws "unprocessable_entity" when the link leads to its own URL: a browser would redirect in circles until it gives
 * up. The query does not count, since visitors bring their own.
 */
export function refuseLoop(
  link: Pick<LinkRow, "url" | "domain" | "foldedKey" | "isInstance" | "caseSensitive">,
  appUrl: URL,
): void {
  const url = URL.parse(link.url);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return;
  // Compared with the port, since another service can run under the same name.
  if (url.host !== (link.isInstance === 1 ? appUrl.host : link.domain)) return;
  const path = decodedPath(url.pathname);
  if (path === undefined || lookupKey(path, link) !== link.foldedKey) return;
  throw invalid("url", "is the URL of the link itself, which causes a redirect loop.");
}
