import { randomReadable } from "../base/ids.ts";
import { invalid, Problem } from "../base/problem.ts";
import { rootKey } from "../domains/domain.ts";

/**
 * The key of a link: its stored form, comparison and random keys.
 *
 * 1. A key is stored as written, in NFC and without outer slashes. Two keys of a domain are equal if their folded forms
 *    are. Key and folded form are always computed here, never by a database, so that both engines agree.
 * 2. "_root" is the root link's key. It is created with the domain, and no caller can choose it.
 */

export const keyCharactersMax = 190;
export const keyLengthMin = 3;
export const keyLengthDefault = 7;
/** Random keys tried before the domain counts as full for their length. */
export const randomKeyAttemptsMax = 8;

/** Paths that browsers and crawlers request from every host, so machines would open a link there. */
const reservedKeys = new Set([
  "favicon.ico",
  "robots.txt",
  "sitemap.xml",
  "manifest.json",
  "manifest.webmanifest",
  "apple-app-site-association",
]);

/** First segments of the paths that the instance's own domain serves. */
export const instanceSegments: ReadonlySet<string> = new Set([
  "v1",
  "app",
  "docs",
  "healthz",
  "readyz",
  "metrics",
  "internal",
  "favicon.ico",
]);

/** Attempts at the requested length before random keys grow. */
const attemptsBeforeGrowth = 2;

/** The characters of keys; misplacedCharacter decides where joiners and tags may stand. */
const allowedCharacters =
  /^(?:[\p{L}\p{N}\p{M}\-_/.\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}\u{e0020}-\u{e007f}]|\u200d)+$/u;

/**
 * Invisible characters (joiner, variation selector, tag) may stand inside an emoji only: elsewhere they would make two
 * keys look alike. A combining mark needs a character before it.
 */
const misplacedCharacter = new RegExp(
  [
    String.raw`(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u20e3])\u200d`,
    String.raw`\u200d(?!\p{Extended_Pictographic})`,
    String.raw`(?<![\u{1f3f4}\u{e0020}-\u{e007e}])[\u{e0020}-\u{e007f}]`,
    String.raw`(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}0-9])[\ufe0e\ufe0f]`,
    String.raw`(?:^|[-_/.])\p{M}`,
    String.raw`[\u115f\u1160\u17b4\u17b5\u3164\uffa0\u034f\u180b-\u180f\ufe00-\ufe0d\u{e0100}-\u{e01ef}]`,
  ].join("|"),
  "u",
);

/** The settings of a domain that affect its keys. */
type KeyDomain = { isInstance: 0 | 1; caseSensitive: 0 | 1 };

/**
 * The folded form of a key: NFC, and lower case unless the domain is case-sensitive.
 * Guarantee: folding a folded key changes nothing; the result is the same on every machine and in every locale.
 */
export function foldKey(key: string, caseSensitive: boolean): string {
  // Every redirect calls this. Nearly every key is ASCII, and so already in NFC.
  if (/^[\0-\x7f]*$/.test(key)) return caseSensitive ? key : key.toLowerCase();
  const composed = key.normalize("NFC");
  if (caseSensitive) return composed;
  // Character by character: toLowerCase of a whole text lowers Σ differently at the end of a word.
  const lower = Array.from(composed, (character) => (character === "ς" ? "σ" : character.toLowerCase())).join("");
  // İ in lower case is two characters, and the second may have to swap with a mark after it.
  return lower.normalize("NFC");
}

/**
 * The stored form of a key that a caller wrote; `field` names it in problems.
 * Throws "unprocessable_entity" for an impossible key, "forbidden" for a reserved one.
 */
export function readKey(text: string, domain: KeyDomain, field = "key"): string {
  const key = trimKey(text);
  if (key === "") throw invalid(field, "must have at least one character besides slashes.");
  if (key.length > keyCharactersMax) throw invalid(field, `must have at most ${keyCharactersMax} characters.`);
  if (!allowedCharacters.test(key) || misplacedCharacter.test(key)) {
    throw invalid(field, "must contain only letters, digits, hyphens, underscores, slashes, dots and emoji.");
  }
  if (key.startsWith("_")) throw invalid(field, "must not begin with an underscore.");
  const folded = foldKey(key, false);
  if (folded.startsWith(".well-known")) throw invalid(field, "must not begin with .well-known.");
  if (/\.php7?$/.test(folded)) throw invalid(field, "must not end with .php or .php7.");
  if (folded.split("/").some((segment) => segment === "." || segment === "..")) {
    throw invalid(field, "must not have a path segment of dots only; browsers remove it.");
  }
  if (reservedKeys.has(folded)) {
    throw new Problem(
      "forbidden",
      `${field}: ${key} is reserved, because browsers and crawlers request it from every domain.`,
    );
  }
  if (domain.isInstance === 1 && isInstanceSegment(folded)) {
    const segment = folded.split("/")[0];
    throw invalid(
      field,
      `must not have ${segment} as its first path segment on this domain; this service uses that path itself.`,
    );
  }
  return key;
}

/** The decoded path of a URL; undefined for a malformed one, which no link can have as a key. */
export function decodedPath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** The form in which a key is looked up. Refuses nothing: an impossible key is not found. */
export function lookupKey(text: string, domain: KeyDomain): string {
  const key = trimKey(text);
  return foldKey(key === "" ? rootKey : key, domain.caseSensitive === 1);
}

/**
 * A new random key for an attempt, counted from 1. Later attempts are longer, since shorter keys are taken.
 * Throws what readKey throws for a prefix that no key can begin with.
 */
export function randomKey(
  { length, prefix }: { length: number; prefix: string | undefined },
  domain: KeyDomain,
  attempt: number,
): string {
  const grown = Math.min(keyCharactersMax, length + Math.max(0, attempt - attemptsBeforeGrowth));
  const start = prefix === undefined ? "" : trimKey(prefix);
  if (start !== "") {
    const room = keyCharactersMax - start.length - 1;
    if (room < length)
      throw invalid(
        "prefix",
        `is too long: the prefix and ${length} random characters must have at most ${keyCharactersMax} characters.`,
      );
    return readKey(`${start}/${randomReadable(Math.min(grown, room))}`, domain, "prefix");
  }
  for (;;) {
    const key = randomReadable(grown);
    // Ends after one or two rounds: a few reserved words among 57 to the power of keyLengthMin keys.
    if (!(domain.isInstance === 1 && isInstanceSegment(foldKey(key, false)))) return key;
  }
}

function trimKey(text: string): string {
  return text
    .normalize("NFC")
    .replace(/^\/+/, "")
    .replace(/(?<!\/)\/+$/, "");
}

function isInstanceSegment(folded: string): boolean {
  return instanceSegments.has(folded.split("/")[0] ?? "");
}
