import { LruCache } from "../../../base/lru-cache.ts";
import type { Click } from "../../click.ts";
import type { Row } from "./rows.ts";
import type { CompiledQuery } from "./sql.ts";
import { dimensionTables, type TextDimensionName, textDimensionNames } from "./star-schema.ts";

/** Entries of each dictionary that are remembered; twice as many at most, up to 2 KB each. */
const entriesMax = 2_000;

/** Reads rows. */
export type Read = (asked: CompiledQuery) => Promise<Row[]>;

/** The texts of a dictionary's entry, by their fields. */
type Texts = Readonly<Record<string, string>>;

/** A click's fields that stand in dictionaries. */
type TextFields = Omit<Click, "id" | "time" | "workspaceId" | "trigger" | "bot" | "visitor">;

/** Entries of dictionaries, by their numbers. */
export type FoundTexts = ReadonlyMap<TextDimensionName, ReadonlyMap<number, Texts>>;

/**
 * The texts of pages of clicks, some of them remembered: reading them from six tables costs more than the rest of a page.
 *
 * 1. An entry never changes, but erasing clicks removes some, and their numbers may be given to others. So `remember` is
 *    called only when nothing was erased since the snapshot in which the entries were read, and `forget` before an erasure.
 * 2. A caller whose snapshot may be older than an erasure must not use the answer.
 */
export class PageTextCache {
  readonly #remembered = new Map<TextDimensionName, LruCache<number, Texts>>(
    textDimensionNames.map((name) => [name, new LruCache(entriesMax)]),
  );

  /** Finds the texts of these facts. */
  async find(facts: readonly Row[], read: Read): Promise<FoundTexts> {
    const found = new Map<TextDimensionName, ReadonlyMap<number, Texts>>();
    for (const name of textDimensionNames) {
      const keys = new Set(facts.map((fact) => Number(fact[dimensionTables[name].column])));
      found.set(name, await this.#entries(name, keys, read));
    }
    return found;
  }

  /** Remembers what was found. */
  remember(found: FoundTexts): void {
    for (const [name, entries] of found) {
      for (const [number, texts] of entries) this.#remembered.get(name)?.set(number, texts);
    }
  }

  /** Forgets everything. */
  forget(): void {
    for (const entries of this.#remembered.values()) entries.clear();
  }

  async #entries(name: TextDimensionName, keys: ReadonlySet<number>, read: Read): Promise<Map<number, Texts>> {
    const entries = new Map<number, Texts>();
    const unknown: number[] = [];
    for (const number of keys) {
      const texts = this.#remembered.get(name)?.get(number);
      if (texts === undefined) unknown.push(number);
      else entries.set(number, texts);
    }
    if (unknown.length === 0) return entries;
    for (const { number, ...row } of await read(compileEntries(name, unknown))) {
      const texts = Object.entries(row).map(([field, text]) => [field, String(text)]);
      entries.set(Number(number), Object.fromEntries(texts));
    }
    return entries;
  }
}

/** The fields of a fact that stand in dictionaries. */
export function textFields(found: FoundTexts, fact: Row): TextFields {
  return fieldsOf(Object.assign({}, ...textDimensionNames.map((name) => textsOf(found, name, fact))));
}

/** Numbers are whole, and stand in the SQL. */
function compileEntries(name: TextDimensionName, keys: readonly number[]): CompiledQuery {
  const { table, fields } = dimensionTables[name];
  const columns = fields.map((field) => `"${field}"`).join(", ");
  const sql = `SELECT "number", ${columns} FROM "${table}" WHERE "number" IN (${keys.join(", ")})`;
  return { sql, parameters: [] };
}

function textsOf(found: FoundTexts, name: TextDimensionName, fact: Row): Texts {
  const number = Number(fact[dimensionTables[name].column]);
  const texts = found.get(name)?.get(number);
  if (texts === undefined) throw new Error(`The dictionary ${dimensionTables[name].table} has no entry ${number}.`);
  return texts;
}

function fieldsOf(texts: Texts): TextFields {
  const text = (field: keyof TextFields) => {
    const value = texts[field];
    if (value === undefined) throw new Error(`No dictionary has the field ${field}.`);
    return value;
  };
  return {
    ...{ linkId: text("linkId"), domainId: text("domainId"), domain: text("domain"), key: text("key") },
    ...{ url: text("url"), utm_source: text("utm_source"), utm_medium: text("utm_medium") },
    ...{ utm_campaign: text("utm_campaign"), utm_term: text("utm_term"), utm_content: text("utm_content") },
    ...{ country: text("country"), region: text("region"), city: text("city"), continent: text("continent") },
    ...{ device: text("device"), browser: text("browser"), os: text("os") },
    ...{ referer: text("referer"), refererUrl: text("refererUrl"), language: text("language") },
  };
}
