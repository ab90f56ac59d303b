/** The key of a domain's own address, the link that comes with the domain and goes with it. */
export const rootKey = "_root";

/** An address without what everybody knows of it. */
export function shownUrl(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/i, "").replace(/\/$/, "");
}

type Page = Pick<Location, "origin" | "hostname">;

/**
 * Scheme, host and port of short links on a domain, "" being the service's own: https but there, where they are the
 * page's; and on the domain of a link that is known those it has.
 */
export function shortLinkOrigin(domain: string, page: Page, known?: { domain: string; shortLink: string }): string {
  if (known !== undefined && known.domain === domain) return new URL(known.shortLink).origin;
  return domain === "" || domain === page.hostname ? page.origin : `https://${domain}`;
}

/** A short link's host, and what stands behind it. */
export function shortLinkParts(shortLink: string): { host: string; key: string } {
  const [, host = shortLink, key = ""] = /^https?:\/\/([^/]+)(\/.*)?$/.exec(shortLink) ?? [];
  return { host, key: readable(key) };
}

function readable(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
