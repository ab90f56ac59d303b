import type { Format } from "../base/format.ts";

/**
 * The API says what is wrong in English. Its sentences are the keys under which their translations are found, with `{}`
 * for each part that varies; in a translation the parts stand by their place, `{0}`, `{1}`, in any order. Neither has the
 * field in front, nor the full stop. A part that is a sentence of the API itself stands as `{=0}`, and is translated too.
 * A part that is an instant is shown as the language writes one.
 */
export type Sentences = Readonly<Record<string, string>>;

/** A sentence, or a part of one, and its translation. */
export type Pair = readonly [english: string, translated: string];

/** A sentence of several parts, each of which counts its varying parts from 0. */
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

/** How a language says one of the relations that `api/http/validation-message.ts` has: of a number itself, and of how many there are. */
type Relation = { english: string; size: string; count: string };

/** The sentences about bounds: of each relation, and of how many there are of each unit, as the language says them. */
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

/** What finds the translation of a sentence. */
export type Translate = (said: string) => string | undefined;

/** What writes the times in it. */
type Moments = Pick<Format, "moment">;

/** As the API writes instants: `2026-11-22T08:00:00.000Z`. */
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;
const reference = /\{(=?)(\d+)\}/g;
const placeholder = "{}";
/** A sentence that says so little itself would fit nearly any other: its varying parts are single words. */
const fewLetters = 12;

/**
 * Makes what translates the sentences. Where several fit, the one decides that says the most itself: of what was said it
 * leaves the least to its varying parts. Nothing is prepared before the first sentence comes.
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

/** A sentence without its full stop. */
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
