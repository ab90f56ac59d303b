import { createHash, randomBytes } from "node:crypto";

/** Crockford's base 32: sorts the same by bytes and by locale, and has no look-alikes. */
const ulidAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const base62Alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** For keys that people read aloud or type: without 0 O o 1 I l. */
const readableAlphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz";

const ulidRandomLength = 16;

let lastUlidTime = 0;
let lastUlidRandom: number[] = [];

/**
 * Returns a new identifier such as "link_01JD…": prefix, underscore and a ULID (https://github.com/ulid/spec).
 * Guarantee: identifiers of one process increase in call order, compared by bytes and by locale.
 */
export function newId(prefix: string, now: number): string {
  if (now > lastUlidTime || lastUlidRandom.length === 0) {
    lastUlidTime = now;
    lastUlidRandom = Array.from(randomBytes(ulidRandomLength), (byte) => byte & 31);
  } else {
    increment(lastUlidRandom);
  }
  return `${prefix}_${ulidTime(lastUlidTime)}${lastUlidRandom.map((digit) => ulidAlphabet.charAt(digit)).join("")}`;
}

/** Returns the smallest identifier with this time: identifiers made at `time` or later are equal or greater. */
export function firstIdAt(prefix: string, time: number): string {
  return `${prefix}_${ulidTime(time)}`;
}

function increment(digits: number[]): void {
  for (let index = digits.length - 1; index >= 0; index--) {
    const digit = digits[index] ?? 0;
    digits[index] = (digit + 1) & 31;
    if (digit < 31) return;
  }
}

function ulidTime(time: number): string {
  let text = "";
  for (let rest = time, length = 0; length < 10; length++) {
    text = ulidAlphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** Returns the time of an identifier made by newId; undefined for a text of another form. */
export function timeOfId(id: string): number | undefined {
  const time = /^[a-zA-Z]+_([0-7][0-9A-HJKMNP-TV-Z]{9})[0-9A-HJKMNP-TV-Z]{16}$/.exec(id)?.[1];
  if (time === undefined) return undefined;
  return Array.from(time).reduce((sum, digit) => sum * 32 + ulidAlphabet.indexOf(digit), 0);
}

/** Returns uniformly random base-62 characters from the system's secure source. */
export function randomBase62(length: number): string {
  return randomText(base62Alphabet, length);
}

/** Returns uniformly random characters without look-alikes, about 5.8 bits each. */
export function randomReadable(length: number): string {
  return randomText(readableAlphabet, length);
}

function randomText(alphabet: string, length: number): string {
  const unbiasedMax = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < unbiasedMax && text.length < length) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
}

/** Returns the SHA-256 as 64 lower-case hex digits, the form in which secrets are stored and looked up. */
export function sha256(contents: string | Uint8Array): string {
  return createHash("sha256").update(contents).digest("hex");
}

/** Returns a checksum of six base-62 characters, which detects a mistyped key without a lookup. */
export function checksum62(text: string): string {
  let rest = Number.parseInt(sha256(text).slice(0, 12), 16);
  let digits = "";
  for (let length = 0; length < 6; length++) {
    digits += base62Alphabet.charAt(rest % 62);
    rest = Math.floor(rest / 62);
  }
  return digits;
}
