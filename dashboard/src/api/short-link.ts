/** The key of a domain's root link, which is created and deleted with the domain. */
export const rootKey = "_root";

/** A URL without its scheme, "www." and trailing slash. */
export function compactUrl(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/i, "").replace(/\/$/, "");
}

/** True for a text that is the URL of a web page, with or without the scheme. */
export function isWebPage(text: string): boolean {
  return /^(?:https?:\/\/)?[^\s/?#:]+\.\p{L}{2,}(?:[:/?#]|$)/iu.test(text);
}

type Page = Pick<Location, "origin" | "hostname">;

/**
 * The origin of the short links on a domain; "" means the service's own domain. The scheme is https, with two
 * exceptions: the service's own domain has the origin of the page, and the domain of a known link has the origin of
 * that link.
 */
export function shortLinkOrigin(domain: string, page: Page, known?: { domain: string; shortLink: string }): string {
  if (known !== undefined && known.domain === domain) return new URL(known.shortLink).origin;
  return domain === "" || domain === page.hostname ? page.origin : `https://${domain}`;
}

/** The host and the path of a short link. The path begins with a slash and is decoded; "" for a bare origin. */
export function shortLinkParts(shortLink: string): { host: string; path: string } {
  const [, host = shortLink, path = ""] = /^https?:\/\/([^/]+)(\/.*)?$/.exec(shortLink) ?? [];
  return { host, path: decoded(path) };
}

/** The path as a person reads it; unchanged if its escapes are invalid. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
