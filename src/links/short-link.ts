import { rootKey } from "../domains/domains.ts";
import type { Link } from "./link.ts";

/** The address visitors use: https on the workspace's domains, scheme and port of the service on its own. */
export function shortLinkOf(
  { domain, key, isOnInstanceDomain }: Pick<Link, "domain" | "key" | "isOnInstanceDomain">,
  appUrl: URL,
): string {
  const port = appUrl.port === "" ? "" : `:${appUrl.port}`;
  const origin = isOnInstanceDomain ? `${appUrl.protocol}//${domain}${port}` : `https://${domain}`;
  return key === rootKey ? origin : `${origin}/${encodeURI(key)}`;
}
