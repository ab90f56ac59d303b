import type { Format } from "../base/format.ts";

/**
 * Translations of the API's English sentences. The keys are the sentences, with `{}` for each varying part;
 * translations refer to the parts by position, `{0}`, `{1}`, in any order. Neither includes the field name before
 * the sentence, or the final full stop. A part that is itself a sentence of the API is `{=0}` and is translated too.
 * Instants are formatted for the language.
 */
export type Sentences = Readonly<Record<string, string>>;

/** A sentence, or a part of one, and its translation. */
export type Pair = readonly [english: string, translated: string];

/** Joins parts of a sentence; each part counts its varying parts from 0. */
export function joined(...pairs: readonly Pair[]): Pair {
  return pairs.reduce<Pair>(
    ([english, translated], [nextEnglish, next]) => [
      english + nextEnglish,
      translated +
        next.replace(
          reference,
          (_, mark: string, number: string) => `{${mark}${Number(number) + placeholdersIn(english)}}`,
        ),
    ],
    ["", ""],
  );
}

/**
 * A comparison such as "at least": the API's English, and its translations before a number (`size`) and before a count
 * with a unit (`count`).
 */
type Comparison = { english: string; size: string; count: string };

/** Builds the sentences about bounds: one per comparison, and one per comparison and unit. */
export function boundsOf(
  comparisons: readonly Comparison[],
  units: Sentences,
  phrases: { size(comparison: string): string; count(comparison: string, unit: string): string },
): Pair[] {
  return comparisons.flatMap(({ english, size, count }): Pair[] => [
    [`must be ${english} {}`, phrases.size(size)],
    ...Object.entries(units).map(
      ([unit, counted]): Pair => [`must have ${english} {} ${unit}`, phrases.count(count, counted)],
    ),
  ]);
}

/** Translates a sentence; undefined if there is no translation. */
export type Translate = (sentence: string) => string | undefined;

/** Formats the instants in a sentence. */
type InstantFormat = Pick<Format, "instant">;

/** The API's format of instants: `2026-11-22T08:00:00.000Z`. */
const instantForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;
const reference = /\{(=?)(\d+)\}/g;
const placeholder = "{}";
/**
 * Up to this many fixed characters, a sentence would match nearly any other, so its varying parts are single words.
 */
const wordOnlyCharactersMax = 12;

/**
 * Creates the translator of the sentences. When several match, the one with the most fixed characters wins. Patterns
 * are compiled on the first call.
 */
export function translator(sentences: Sentences, format: InstantFormat): Translate {
  let matchers: readonly Matcher[] | undefined;
  function translate(sentence: string): string | undefined {
    const plain = withoutFullStop(sentence);
    matchers ??= matchersOf(sentences);
    for (const { pattern, translation } of matchers) {
      const found = pattern.exec(plain);
      if (found === null) continue;
      return translation.replace(reference, (_, mark: string, number: string) => {
        const part = found[Number(number) + 1] ?? "";
        if (mark !== "") return translate(part) ?? part;
        return isInstant(part) ? format.instant(part) : part;
      });
    }
    return undefined;
  }
  return translate;
}

/** Removes the full stop of a sentence. */
export function withoutFullStop(sentence: string): string {
  return sentence.endsWith(".") ? sentence.slice(0, -1) : sentence;
}

function isInstant(part: string): boolean {
  return instantForm.test(part) && !Number.isNaN(Date.parse(part));
}

type Matcher = { pattern: RegExp; fixedCharacters: number; translation: string };

function matchersOf(sentences: Sentences): Matcher[] {
  return Object.entries(sentences)
    .map(([key, translation]) => {
      const fixedCharacters = key.replaceAll(placeholder, "").length;
      const parts = key.split(placeholder).map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
      const varying = fixedCharacters > wordOnlyCharactersMax ? "(.*?)" : "(\\S*?)";
      return { pattern: new RegExp(`^${parts.join(varying)}$`, "s"), fixedCharacters, translation };
    })
    .sort((one, other) => other.fixedCharacters - one.fixedCharacters);
}

function placeholdersIn(english: string): number {
  return english.split(placeholder).length - 1;
}
