/** An address as people write it: without scheme, without a slash at the end of a host, and without percent signs. */
export function shownAddress(url: string): string {
  return readable(url.replace(/^https?:\/\//, "").replace(/^([^/]+)\/$/, "$1"));
}

/** What cannot be seen, or turns the order of what follows round, stays written with percent signs. */
const hidden = /[\p{Cc}\p{Z}\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

/** Text of an address with its letters in place of their bytes; as it is where the bytes are no text. */
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

/** The path and query of a URL of this service. The page's own host serves them, even where WAYPOST_URL names another. */
export function localPath(url: string): string {
  const { pathname, search } = new URL(url, location.origin);
  return `${pathname}${search}`;
}
