/** A URL in readable form: without scheme, without the slash after a bare host, and with decoded characters. */
export function displayUrl(url: string): string {
  return readable(url.replace(/^https?:\/\//, "").replace(/^([^/]+)\/$/, "$1"));
}

/** Invisible characters, and those that change the direction of text, stay percent-encoded. */
const hidden = /[\p{Cc}\p{Z}\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

/** Decodes percent-encoded text; bytes that are not valid text stay encoded. */
function readable(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => {
    try {
      const letters = decodeURI(bytes);
      return hidden.test(letters) ? bytes : letters;
    } catch {
      return bytes;
    }
  });
}

/**
 * The path and query of a URL of this service. The page's own host serves them, even where WAYPOST_URL names another.
 */
export function localPath(url: string): string {
  const { pathname, search } = new URL(url, location.origin);
  return `${pathname}${search}`;
}
