/**
 * URLs that the URL parser returns unchanged: an ASCII host, no dot segments, nothing to encode. Most destinations
 * match, and the pattern takes a tenth of the parser's time.
 */
const normal =
  /^https?:\/\/(?:[a-z\d](?:[a-z\d]|-(?!-))*\.)+[a-z][a-z\d]*\/(?!(?:.*\/)?(?:\.|%2[eE]))[\w\-.~%!$&()*+,;=:@/]*(?:\?[\w\-.~%!$&()*+,;=:@/?]*)?(?:#[\w\-.~%!$&()*+,;=:@/?]*)?$/;

/** A stored URL as a Location value: absolute and ASCII. The URL of an app stays as it is. */
export function locationUrl(url: string): string {
  if (normal.test(url)) return url;
  const isAppUrl = !/^https?:/i.test(url) && /^[\x21-\x7e]*$/.test(url);
  return isAppUrl ? url : new URL(url).href;
}

/** Replaces a destination whose host the operator has blocked. */
export const blockedUrl = "blocked:";
