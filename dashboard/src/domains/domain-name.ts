import { decodePunycode } from "../base/punycode.ts";

/** The domain in what was pasted, which may be the address of a page there. */
export function domainIn(text: string): string {
  return text
    .trim()
    .replace(/^https?:\/\//i, "")
    .replace(/\/+$/, "");
}

/** A domain with its letters in place of punycode; undefined when it has none, or they cannot be told. */
export function readableDomain(slug: string): string | undefined {
  const labels = slug.split(".").map((label) => (label.startsWith("xn--") ? decodePunycode(label.slice(4)) : label));
  if (labels.includes(undefined)) return undefined;
  const readable = labels.join(".");
  return readable === slug ? undefined : readable;
}

/** Whether a host is one that each machine, or each network, has for itself. */
export function isLocalName(host: string): boolean {
  return /^(localhost|.*\.(localhost|local|internal)|127(\.\d+){3}|\[?::1\]?|0\.0\.0\.0)\.?$/i.test(host);
}
