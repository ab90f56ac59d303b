import type { UtmName } from "../../api/utm-templates.ts";

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

/** Sets UTM parameters in a URL, or removes those with ""; the rest stays as typed. */
export function writeUtm(url: string, values: Partial<UtmValues>): string {
  const { path, query, fragment } = parts(url);
  const pairs = query.split("&").filter((pair) => pair !== "");
  for (const [name, value] of Object.entries(values)) {
    const index = pairs.findIndex((pair) => pair.split("=")[0] === name);
    const written = value.trim() === "" ? [] : [`${name}=${encodeURIComponent(value).replaceAll("%20", "+")}`];
    pairs.splice(index === -1 ? pairs.length : index, index === -1 ? 0 : 1, ...written);
  }
  return `${path}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}${fragment}`;
}

function parts(url: string): { path: string; query: string; fragment: string } {
  const [, path = "", query = "", fragment = ""] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? [];
  return { path, query, fragment };
}
