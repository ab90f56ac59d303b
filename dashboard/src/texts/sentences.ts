import type { Format } from "../base/format.ts";

/**
 * Translations of the API's English sentences. The keys are the sentences, with `{}` for each varying part;
 * translations refer to the parts by position, `{0}`, `{1}`, in any order. Neither includes the field in front or the
 * full stop. A part that is itself a sentence of the API is `{=0}` and is translated too. Instants are formatted for
 * the language.
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

/** A relation of `api/http/validation-message.ts` in a language: for the size of a number, and for a count. */
type Relation = { english: string; size: string; count: string };

/** Builds the sentences about bounds: one per relation, and one per relation and unit. */
export function boundsOf(
  relations: readonly Relation[],
  units: Sentences,
  phrases: { size(relation: string): string; count(relation: string, unit: string): string },
): Pair[] {
  return relations.flatMap(({ english, size, count }): Pair[] => [
    [`must be ${english} {}`, phrases.size(size)],
    ...Object.entries(units).map(
      ([unit, counted]): Pair => [`must have ${english} {} ${unit}`, phrases.count(count, counted)],
    ),
  ]);
}

/** Translates a sentence; undefined if there is no translation. */
export type Translate = (said: string) => string | undefined;

/** Formats the instants in a sentence. */
type Moments = Pick<Format, "moment">;

/** The API's format of instants: `2026-11-22T08:00:00.000Z`. */
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;
const reference = /\{(=?)(\d+)\}/g;
const placeholder = "{}";
/** A sentence with fewer letters than this would match nearly any other, so its varying parts are single words. */
const fewLetters = 12;

/**
 * Creates the translator of the sentences. When several match, the one with the most fixed letters wins. Patterns are
 * compiled for the first sentence.
 */
export function translator(sentences: Sentences, { moment }: Moments): Translate {
  let matchers: readonly Matcher[] | undefined;
  function translate(said: string): string | undefined {
    const plain = withoutStop(said);
    matchers ??= matchersOf(sentences);
    for (const { pattern, translation } of matchers) {
      const found = pattern.exec(plain);
      if (found === null) continue;
      return translation.replace(reference, (_, mark: string, number: string) => {
        const part = found[Number(number) + 1] ?? "";
        if (mark !== "") return translate(part) ?? part;
        return isInstant(part) ? moment(part) : part;
      });
    }
    return undefined;
  }
  return translate;
}

/** Removes the full stop of a sentence. */
export function withoutStop(said: string): string {
  return said.endsWith(".") ? said.slice(0, -1) : said;
}

function isInstant(part: string): boolean {
  return instant.test(part) && !Number.isNaN(Date.parse(part));
}

type Matcher = { pattern: RegExp; letters: number; translation: string };

function matchersOf(sentences: Sentences): Matcher[] {
  return Object.entries(sentences)
    .map(([key, translation]) => {
      const letters = key.replaceAll(placeholder, "").length;
      const parts = key.split(placeholder).map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
      const varying = letters > fewLetters ? "(.*?)" : "(\\S*?)";
      return { pattern: new RegExp(`^${parts.join(varying)}$`, "s"), letters, translation };
    })
    .sort((one, other) => other.letters - one.letters);
}

function placeholdersIn(english: string): number {
  return english.split(placeholder).length - 1;
}
