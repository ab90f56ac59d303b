import { type UtmName, utmNames } from "../../base/utm-names.ts";

/** The values of the UTM parameters; "" for missing ones. */
type UtmValues = Record<UtmName, string>;

/** Parses the UTM parameters of a URL while it is typed. */
export function readUtm(url: string): UtmValues {
  const parameters = new URLSearchParams(parts(url).query);
  const read = (name: UtmName) => parameters.get(name) ?? "";
  return {
    utm_source: read("utm_source"),
    utm_medium: read("utm_medium"),
    utm_campaign: read("utm_campaign"),
    utm_term: read("utm_term"),
    utm_content: read("utm_content"),
  };
}

/**
 * Sets UTM parameters in a URL, or removes those with ""; the rest stays as typed. An added parameter goes before the
 * first one that follows it in the order of UTM parameters, or else to the end, as in the URLs that the API writes.
 */
export function writeUtm(url: string, values: Partial<UtmValues>): string {
  const { path, query, fragment } = parts(url);
  const pairs = query.split("&").filter((pair) => pair !== "");
  for (const [rank, name] of utmNames.entries()) {
    const value = values[name];
    if (value === undefined) continue;
    const index = pairs.findIndex((pair) => nameOf(pair) === name);
    const next = pairs.findIndex((pair) => utmNames.findIndex((other) => other === nameOf(pair)) > rank);
    const place = [index, next].find((found) => found !== -1) ?? pairs.length;
    const written = value.trim() === "" ? [] : [`${name}=${encodeURIComponent(value).replaceAll("%20", "+")}`];
    pairs.splice(place, index === -1 ? 0 : 1, ...written);
  }
  return `${path}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}${fragment}`;
}

function nameOf(pair: string): string | undefined {
  return pair.split("=")[0];
}

/** The destinations of a form that the link's UTM parameters apply to: its URL and the variants of its test. */
type Destinations = { url: string; testVariants: { url: string; percentage: string }[] };

/**
 * Sets UTM parameters in the URL and in every variant of the test. A variant that has another value than the URL keeps
 * it: the person chose it for that variant. Known weakness: while a person types a value letter by letter that passes
 * through a variant's own one, the variant follows; its field shows it. To be fixed if someone reports it.
 */
export function writeUtmEverywhere({ url, testVariants }: Destinations, values: Partial<UtmValues>): Destinations {
  const before = readUtm(url);
  const variants = testVariants.map((variant) => {
    const own = readUtm(variant.url);
    const shared = utmNames.filter((name) => own[name] === "" || own[name] === before[name]);
    const changes = shared.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]]));
    return variant.url.trim() === ""
      ? variant
      : { ...variant, url: writeUtm(variant.url, Object.fromEntries(changes)) };
  });
  return { url: writeUtm(url, values), testVariants: variants };
}

/** A new destination of a form. Variants that were copies of the old one follow it. */
export function writeDestination({ url: before, testVariants }: Destinations, url: string): Destinations {
  return {
    url,
    testVariants: testVariants.map((variant) => (variant.url === before ? { ...variant, url } : variant)),
  };
}

/** Where visitors of a variant arrive: its URL with the UTM parameters of the link that it does not set itself. */
export function finalUrl(variantUrl: string, linkUrl: string): string {
  const [own, ofLink] = [readUtm(variantUrl), readUtm(linkUrl)];
  const missing = utmNames.filter((name) => own[name] === "" && ofLink[name] !== "");
  return writeUtm(variantUrl.trim(), Object.fromEntries(missing.map((name) => [name, ofLink[name]])));
}

function parts(url: string): { path: string; query: string; fragment: string } {
  const [, path = "", query = "", fragment = ""] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? [];
  return { path, query, fragment };
}
