/**
 * Decides from the headers of a page whether another page may show it in a frame.
 *
 * 1. frame-ancestors of Content-Security-Policy takes precedence over X-Frame-Options (CSP 3, section 6.4.2); every one
 *    of several policies must allow the frame.
 * 2. Values that browsers do not know refuse nothing: ALLOW-FROM, and any other value of X-Frame-Options.
 */

/** The headers that decide, by lower-case name; several of one name are joined with commas. */
type FramingFields = { [Name in "content-security-policy" | "x-frame-options"]?: string | undefined };

/**
 * True when the response to `url` refuses a frame in a page of `origin`. Both are absolute; origin is "https://host".
 */
export function refusesFrame(fields: FramingFields, { url, origin }: { url: string; origin: string }): boolean {
  const urls = { page: new URL(origin), own: new URL(url) };
  const policies = frameAncestors(fields["content-security-policy"] ?? "");
  if (policies.length > 0) return !policies.every((sources) => sources.some((source) => allows(source, urls)));
  return refusedByOption(fields["x-frame-options"] ?? "", urls);
}

type FrameUrls = { page: URL; own: URL };

/** The sources of each policy with the directive; browsers use the first directive of a policy. */
function frameAncestors(header: string): string[][] {
  return header.split(",").flatMap((policy) => {
    const directives = policy.split(";").map((directive) => directive.trim().split(/\s+/));
    const found = directives.find(([name]) => name?.toLowerCase() === "frame-ancestors");
    return found === undefined ? [] : [found.slice(1).map((source) => source.toLowerCase())];
  });
}

function allows(source: string, { page, own }: FrameUrls): boolean {
  if (source === "'self'") return page.origin === own.origin;
  if (source === "*") return true;
  const scheme = /^([a-z][a-z0-9+.-]*):$/.exec(source)?.[1];
  if (scheme !== undefined) return fitsScheme(scheme, page);
  return fitsHost(source, { page, own });
}

/** A source without TLS also allows the same host with TLS. */
function fitsScheme(scheme: string, page: URL): boolean {
  return page.protocol === `${scheme}:` || (scheme === "http" && page.protocol === "https:");
}

/** Matches "host", "*.host", "https://host", "host:8443" and "host:*"; the path does not matter. */
function fitsHost(source: string, { page, own }: FrameUrls): boolean {
  const parts = /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/:]+)(?::(\d+|\*))?(?:\/.*)?$/.exec(source);
  if (parts === null) return false;
  const [, scheme = own.protocol.slice(0, -1), host = "", port] = parts;
  if (!fitsScheme(scheme, page)) return false;
  const fits = host.startsWith("*.") ? page.hostname.endsWith(host.slice(1)) : page.hostname === host;
  const fitsPort = port === undefined ? page.port === "" : port === "*" || port === portOf(page);
  return fits && fitsPort;
}

function portOf({ port, protocol }: URL): string {
  return port === "" ? (protocol === "https:" ? "443" : "80") : port;
}

/** Contradicting values refuse the frame (HTML, section 7.6). */
function refusedByOption(header: string, { page, own }: FrameUrls): boolean {
  const values = new Set(
    header
      .split(",")
      .map((value) => value.trim().toLowerCase())
      .filter((value) => value !== ""),
  );
  if (values.size > 1) return ["deny", "sameorigin", "allowall"].some((value) => values.has(value));
  return values.has("deny") || (values.has("sameorigin") && page.origin !== own.origin);
}
