import { keyCharactersMax } from "../bounds.ts";

/** What a slug may not contain; the service refuses a few more sequences, such as joiners outside an emoji. */
const refused =
  /(?:(?![\p{L}\p{N}\p{M}\-_/.\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}\u{e0020}-\u{e007f}]|\u200d).)+/gsu;
/** Characters that join the parts of a word, or that nobody sees: a hyphen in their place would split the word. */
const dropped = /['’"“”„\u00ad\u200b\u200c\u2060\ufeff]/gu;

/**
 * The slug that a text with other characters probably means: words joined by hyphens, and the path of a pasted URL.
 * undefined if the text may be a slug as it is, or has no character that a slug may contain.
 */
export function allowedKey(text: string): string | undefined {
  const typed = text.trim();
  if (typed.search(refused) === -1 && !typed.startsWith("_")) return undefined;
  const key = trimmed(decoded(pathOf(typed)).normalize("NFC").replace(dropped, "").replace(refused, "-"));
  return key === "" ? undefined : key;
}

/** The path of a URL with a scheme; other texts unchanged. */
function pathOf(text: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(text)?.[1] ?? text;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Without hyphens beside other separators or at the ends, without a leading underscore, and not too long. */
function trimmed(key: string): string {
  return key
    .replace(/-{2,}/g, "-")
    .replace(/-*([/.])-*/g, "$1")
    .replace(/^[-_/.]+/, "")
    .slice(0, keyCharactersMax)
    .replace(/[-/.]+$/, "");
}
