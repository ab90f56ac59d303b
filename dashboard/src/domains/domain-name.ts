import { toUnicode } from "punycode.js";

/** The domain in pasted text, which may be a URL; without "www.", which every domain answers too. */
export function domainIn(text: string): string {
  return text
    .trim()
    .replace(/^https?:\/\//i, "")
    .replace(/^www\.(?=.*\.)/i, "")
    .replace(/[/?#].*$/s, "");
}

/** True for pasted text of whose domain domainIn removes "www.". */
export function beginsWithWww(text: string): boolean {
  return /^\s*(https?:\/\/)?www\.[^/?#]*\./i.test(text);
}

/** The domain with decoded punycode; undefined when it has none, or it is invalid. */
export function readableDomain(slug: string): string | undefined {
  try {
    const readable = toUnicode(slug);
    return readable === slug ? undefined : readable;
  } catch {
    return undefined;
  }
}

/** True for a host that only exists on the local machine or network. */
export function isLocalName(host: string): boolean {
  return /^(localhost|.*\.(localhost|local|internal)|127(\.\d+){3}|\[?::1\]?|0\.0\.0\.0)\.?$/i.test(host);
}
