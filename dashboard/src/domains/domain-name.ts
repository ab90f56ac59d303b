import { toUnicode } from "punycode.js";

/** The domain in what was pasted, which may be the address of a page there. */
export function domainIn(text: string): string {
  return text
    .trim()
    .replace(/^https?:\/\//i, "")
    .replace(/\/+$/, "");
}

/** A domain with its letters in place of punycode; undefined when it has none, or they cannot be told. */
export function readableDomain(slug: string): string | undefined {
  try {
    const readable = toUnicode(slug);
    return readable === slug ? undefined : readable;
  } catch {
    return undefined;
  }
}

/** Whether a host is one that each machine, or each network, has for itself. */
export function isLocalName(host: string): boolean {
  return /^(localhost|.*\.(localhost|local|internal)|127(\.\d+){3}|\[?::1\]?|0\.0\.0\.0)\.?$/i.test(host);
}
