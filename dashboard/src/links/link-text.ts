/** An address without what everybody knows of it. */
export function shownUrl(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/i, "").replace(/\/$/, "");
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
