import { invalid } from "../base/problem.ts";
import type { Flag } from "../database/schema.ts";
import { normalizeDestination } from "./destination-url.ts";

/**
 * The kinds of link fields: one function per kind, which creates an entry of the table in fields.ts.
 *
 * 1. `toColumn` converts the caller's value: undefined keeps the column, null clears it. It throws
 *    "unprocessable_entity" and names the field.
 * 2. `toValue` converts the column to the value of a Link.
 * 3. `unset` is the column of a new link whose caller did not write the field.
 * 4. The options are plain data: the API schemas, the lookups of the redirects and the history read them.
 */

/** The options of every kind of field. */
type Options = {
  /** For the API reference. */
  description?: string;
  /** Set on fields that affect the response to visitors; the lookups of redirects read them. */
  affectsRedirects?: true;
  /** Set on fields that responses leave out while they are unset. */
  isOmittedWhenUnset?: true;
  /** What an unset field does, for the API reference. */
  unsetMeans?: string;
};

type TextOptions = Options & {
  /** The API refuses longer texts. */
  charactersMax?: number;
  /** Longer texts are cut, with a warning. */
  cutTo?: number;
  /** The history records longer texts as their hash, so that reverting cannot restore them. */
  historyCharactersMax?: number;
  /** The text as it is stored; null for one that counts as unset. Throws "unprocessable_entity". */
  read?(text: string): string | null;
};

type TextInput = string | null | undefined;

/** A text; "" clears it. */
export function text<const Own extends TextOptions>(own: Own) {
  const { charactersMax = Number.POSITIVE_INFINITY, cutTo, read }: TextOptions = own;
  return {
    ...own,
    kind: "text" as const,
    unset: null,
    toColumn(value: TextInput, name: string): TextInput {
      if (value === undefined) return undefined;
      if (value === null || value === "") return null;
      if (value.length > charactersMax) throw invalid(name, `must have at most ${charactersMax} characters.`);
      if (cutTo !== undefined) return cutText(value, cutTo);
      return read === undefined ? value : read(value);
    },
    toValue: (column: string | null) => column,
  };
}

/** A URL that the link may send visitors to; "" clears it. */
export function url<const Own extends Options>(own: Own) {
  return {
    ...own,
    kind: "url" as const,
    unset: null,
    toColumn(value: TextInput, name: string, appSchemes: readonly string[]): TextInput {
      if (value === undefined) return undefined;
      return value === null || value.trim() === "" ? null : normalizeDestination(value, name, appSchemes);
    },
    toValue: (column: string | null) => column,
  };
}

/** A parameter of the link's URL. Its column repeats what the URL holds: see link-destination.ts. */
export function utm<const Own extends Options>(own: Own) {
  return {
    ...own,
    kind: "utm" as const,
    unset: null,
    toColumn: (_: TextInput): undefined => undefined,
    toValue: (column: string | null) => column,
  };
}

type InstantOptions = Options & {
  /** What a date without a time means: the start of the day, or its end. */
  dateMeans: "start" | "end";
};

/** An instant in milliseconds since the epoch. */
export function instant<const Own extends InstantOptions>(own: Own) {
  return {
    ...own,
    kind: "instant" as const,
    unset: null,
    toColumn: (value: number | null | undefined) => value,
    toValue: (column: number | null) => column,
  };
}

/** A boolean that is false while unset. */
export function flag<const Own extends Options>(own: Own) {
  return {
    ...own,
    kind: "flag" as const,
    unset: 0 as const,
    toColumn: (value: boolean | undefined) => (value === undefined ? undefined : flagOf(value)),
    toValue: (column: Flag) => column === 1,
  };
}

/** A flag that null clears too. */
export function nullableFlag<const Own extends Options>(own: Own) {
  return {
    ...flag(own),
    kind: "nullableFlag" as const,
    toColumn: (value: boolean | null | undefined) => (value === undefined ? undefined : flagOf(value ?? false)),
  };
}

type IntegerOptions = Options & { min: number; max: number };

/** A whole number within bounds. */
export function integer<const Own extends IntegerOptions>(own: Own) {
  const { min, max }: IntegerOptions = own;
  return {
    ...own,
    kind: "integer" as const,
    unset: null,
    toColumn(value: number | null | undefined, name: string) {
      // Written so that NaN is refused too.
      if (typeof value === "number" && !(Number.isInteger(value) && value >= min && value <= max)) {
        throw invalid(name, `must be a whole number from ${min} to ${max}.`);
      }
      return value;
    },
    toValue: (column: number | null) => column,
  };
}

/** One of a few numbers; the API refuses others. */
export function choice<const Choice extends number, const Own extends Options>(choices: readonly Choice[], own: Own) {
  return {
    ...own,
    kind: "choice" as const,
    choices,
    unset: null,
    toColumn(value: Choice | null | undefined) {
      return value;
    },
    toValue: (column: number | null) => choices.find((known) => known === column) ?? null,
  };
}

type JsonOptions<Value> = Options & {
  /** The value as JSON text; null for one that counts as unset. Throws "unprocessable_entity". */
  read(value: Value, appSchemes: readonly string[]): string | null;
};

/** A structured value, stored as JSON. Its API schemas are in api/link-field-schemas.ts. */
export function json<Value, const Own extends Options>(own: Own & JsonOptions<Value>) {
  return {
    ...own,
    kind: "json" as const,
    unset: null,
    toColumn(value: Value | null | undefined, _: string, appSchemes: readonly string[]): TextInput {
      if (value === undefined) return undefined;
      return value === null ? null : own.read(value, appSchemes);
    },
    // `read` wrote the text in this shape.
    toValue: (column: string | null) => (column === null ? null : (JSON.parse(column) as Value)),
  };
}

/** A field of any kind, for code that treats all fields alike. */
export type LinkField =
  | ReturnType<typeof text<TextOptions>>
  | ReturnType<typeof url<Options>>
  | ReturnType<typeof utm<Options>>
  | ReturnType<typeof instant<InstantOptions>>
  | ReturnType<typeof flag<Options>>
  | ReturnType<typeof nullableFlag<Options>>
  | ReturnType<typeof integer<IntegerOptions>>
  | ReturnType<typeof choice<number, Options>>
  | ReturnType<typeof json<unknown, Options>>;

function flagOf(value: boolean): Flag {
  return value ? 1 : 0;
}

/** At most `max` UTF-16 units, without a part of the last character that a reader sees, such as an emoji. */
export function cutText(value: string, max: number): string {
  if (value.length <= max) return value;
  let end = 0;
  for (const { index, segment } of characters.segment(value.slice(0, max + 1))) {
    if (index + segment.length > max) break;
    end = index + segment.length;
  }
  // One character may be longer than the whole bound.
  return end === 0 ? value.slice(0, max).replace(/[\ud800-\udbff]$/, "") : value.slice(0, end);
}

const characters = new Intl.Segmenter("en", { granularity: "grapheme" });
