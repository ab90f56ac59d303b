/** TABLE of punycode's numbers, RFC 3492 section 5. */
const base = 36;
const tMin = 1;
const tMax = 26;
/** Digits begin with the letters. */
const lettersCount = 26;
const skew = 38;
const damp = 700;
const initialBias = 72;
const initialCode = 128;
const codeMax = 0x10ffff;
const charactersMax = 63;

/** The text of a label after its `xn--`; undefined for what is no punycode. */
export function decodePunycode(label: string): string | undefined {
  if (label.length > charactersMax) return undefined;
  const end = label.lastIndexOf("-");
  const codes = Array.from(label.slice(0, Math.max(0, end)), (letter) => letter.charCodeAt(0));
  let code = initialCode;
  let place = 0;
  let bias = initialBias;
  for (let at = end + 1; at < label.length; ) {
    const before = place;
    let weight = 1;
    for (let k = base; ; k += base) {
      const digit = digitOf(label[at]);
      if (digit === undefined) return undefined;
      at += 1;
      place += digit * weight;
      const threshold = Math.min(tMax, Math.max(tMin, k - bias));
      if (digit < threshold) break;
      weight *= base - threshold;
    }
    const count = codes.length + 1;
    bias = adapted(place - before, count, before === 0);
    code += Math.floor(place / count);
    place %= count;
    if (code > codeMax) return undefined;
    codes.splice(place, 0, code);
    place += 1;
  }
  return String.fromCodePoint(...codes);
}

function digitOf(letter: string | undefined): number | undefined {
  return letter !== undefined && /[a-z0-9]/i.test(letter)
    ? (Number.parseInt(letter, base) + lettersCount) % base
    : undefined;
}

function adapted(difference: number, count: number, isFirst: boolean): number {
  let delta = Math.floor(difference / (isFirst ? damp : 2));
  delta += Math.floor(delta / count);
  let k = 0;
  for (; delta > ((base - tMin) * tMax) / 2; k += base) delta = Math.floor(delta / (base - tMin));
  return k + Math.floor(((base - tMin + 1) * delta) / (delta + skew));
}
