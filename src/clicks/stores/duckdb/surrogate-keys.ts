import { type DuckDBConnection, DuckDBDataChunk, INTEGER, UBIGINT, VARCHAR } from "@duckdb/node-api";
import type { Click } from "../../click.ts";
import { referrerGroupOf } from "../../referrer-group.ts";
import { KeyCache, type Texts } from "./key-cache.ts";
import { type DimensionName, derivedColumnsOf, dimensionTables, isOwned } from "./star-schema.ts";

/** The cache of each dimension table holds the rows of this many lookup keys, and of twice as many at most. */
const cachedLookupKeysMax = 100_000;
/** The most rows that one chunk appends: DuckDB's vector size. */
export const chunkRowsMax = 2_048;

/** How the row of a dimension table is derived from a click. */
type TextsOf = {
  /** The row's texts in the order of the columns; the workspace comes first if the table has one. */
  texts(click: Click): Texts;
  /** The text that differs most between rows. */
  lookupKey(click: Click): string;
  /** The values of the derived columns, which follow from the texts. */
  derived?(texts: Texts): string[];
};

/** TABLE of a click's texts by dimension table. */
const textsOf: { [Name in DimensionName]: TextsOf } = {
  link: {
    texts: ({ workspaceId, linkId, domainId, domain, key }) => [workspaceId, linkId, domainId, domain, key],
    lookupKey: ({ linkId }) => linkId,
  },
  url: {
    texts: ({ workspaceId, url, utm_source, utm_medium, utm_campaign, utm_term, utm_content }) => [
      ...[workspaceId, url, utm_source, utm_medium, utm_campaign, utm_term, utm_content],
    ],
    lookupKey: ({ url }) => url,
  },
  place: {
    texts: ({ country, region, city, continent }) => [country, region, city, continent],
    lookupKey: ({ country, region, city }) => city || region || country,
  },
  agent: { texts: ({ device, browser, os }) => [device, browser, os], lookupKey: ({ browser }) => browser },
  referrer: {
    texts: ({ referer, refererUrl }) => [referer, refererUrl],
    lookupKey: ({ refererUrl }) => refererUrl,
    derived: ([referer = ""]) => {
      const { refererGroup, channel } = referrerGroupOf(String(referer));
      return [refererGroup, channel];
    },
  },
  language: { texts: ({ language }) => [language], lookupKey: ({ language }) => language },
  idPrefix: { texts: (click) => [idPrefixOf(click)], lookupKey: idPrefixOf },
};

/** The prefix of the last id, with hyphens and without. Clicks arrive spool by spool, so it rarely changes. */
let last: { start: string; idPrefix: string } | undefined;

/** The first 16 hex digits of a click's id, a UUID; all clicks of a spool share them. */
function idPrefixOf({ id }: Click): string {
  if (last === undefined || !id.startsWith(last.start)) {
    last = { start: id.slice(0, 18), idPrefix: id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) };
  }
  return last.idPrefix;
}

/** A row of the dimension table that is not cached, and its index among those of the batch. */
type UncachedRow = { lookupKey: string; texts: Texts; hash: bigint; index: number };

/**
 * Assigns surrogate keys to the texts of one dimension table. Its calls run in the caller's transaction; call `forget`
 * after a rollback.
 */
export class SurrogateKeys {
  readonly #name: DimensionName;
  readonly #connection: DuckDBConnection;
  readonly #textsOf: TextsOf;
  readonly #beforeAdding: (entries: readonly Texts[]) => void;
  #recent = new KeyCache(cachedLookupKeysMax);
  /** The next new key; undefined until it is read from the table. */
  #next: number | undefined;

  /** Calls `beforeAdding` with the rows that the current transaction adds, in the order of textsOf. */
  constructor(name: DimensionName, connection: DuckDBConnection, beforeAdding: (entries: readonly Texts[]) => void) {
    this.#beforeAdding = beforeAdding;
    this.#name = name;
    this.#connection = connection;
    this.#textsOf = textsOf[name];
  }

  /** The surrogate keys of the clicks' texts, in the order of the clicks. New texts are stored under new keys. */
  async keysOf(rows: readonly Click[]): Promise<Int32Array> {
    // Until the row with index i is found, its clicks have the key -1 - i; surrogate keys are never negative.
    const keys = new Int32Array(rows.length);
    const uncached = new Map<string, UncachedRow>();
    rows.forEach((click, row) => {
      const texts = this.#textsOf.texts(click);
      const lookupKey = this.#textsOf.lookupKey(click);
      keys[row] = this.#recent.get(lookupKey, texts) ?? -1 - indexIn(uncached, lookupKey, texts);
    });
    if (uncached.size === 0) return keys;
    const found = await this.#find(uncached);
    for (let row = 0; row < keys.length; row++) {
      const key = keys[row] ?? 0;
      if (key < 0) keys[row] = found[-1 - key] ?? 0;
    }
    return keys;
  }

  /** Empties the cache, so that the next call reads the table. */
  forget(): void {
    this.#recent = new KeyCache(cachedLookupKeysMax);
    this.#next = undefined;
  }

  /** The keys of uncached rows by index: those in the table, and new ones for the others. */
  async #find(uncached: ReadonlyMap<string, UncachedRow>): Promise<number[]> {
    const found: number[] = [];
    let next = this.#next ?? (await this.#readNext());
    if (next > 0) {
      for (const [texts, key] of await this.#select(uncached)) {
        const index = uncached.get(joined(texts))?.index;
        if (index !== undefined) found[index] = key;
      }
    }
    const added: { entry: UncachedRow; key: number }[] = [];
    for (const entry of uncached.values()) {
      const key = found[entry.index] ?? next++;
      if (found[entry.index] === undefined) added.push({ entry, key });
      found[entry.index] = key;
      this.#recent.set(entry.lookupKey, entry.texts, key);
    }
    this.#next = next;
    if (added.length > 0) await this.#append(added);
    return found;
  }

  async #readNext(): Promise<number> {
    const { table } = dimensionTables[this.#name];
    const result = await this.#connection.runAndReadAll(`SELECT coalesce(max("number") + 1, 0) FROM "${table}"`);
    return Number(result.getRows()[0]?.[0]);
  }

  /** The rows with the same hashes. Different texts may share a hash, so the caller compares the texts. */
  async #select(uncached: ReadonlyMap<string, UncachedRow>): Promise<[texts: Texts, key: number][]> {
    const { table } = dimensionTables[this.#name];
    const hashes = JSON.stringify(Array.from(uncached.values(), ({ hash }) => String(hash)));
    const columns = this.#columns().map((name) => `"${name}"`);
    const result = await this.#connection.runAndReadAll(
      `SELECT "number", ${columns.join(", ")} FROM "${table}"
       WHERE "hash" IN (SELECT unnest(from_json($1, '["UBIGINT"]')))`,
      [hashes],
    );
    return result.getRows().map(([key, ...texts]) => [texts.map(String), Number(key)]);
  }

  async #append(added: readonly { entry: UncachedRow; key: number }[]): Promise<void> {
    this.#beforeAdding(added.map(({ entry }) => entry.texts));
    const appender = await this.#connection.createAppender(dimensionTables[this.#name].table);
    try {
      const textColumns = [...this.#columns(), ...derivedColumnsOf(this.#name)];
      const textTypes = textColumns.map((name) => (name === "workspaceId" ? INTEGER : VARCHAR));
      for (let start = 0; start < added.length; start += chunkRowsMax) {
        const chunk = DuckDBDataChunk.create([INTEGER, UBIGINT, ...textTypes]);
        const part = added.slice(start, start + chunkRowsMax);
        chunk.setRows(
          part.map(({ entry: { hash, texts }, key }) => [
            key,
            hash,
            ...texts,
            ...(this.#textsOf.derived?.(texts) ?? []),
          ]),
        );
        appender.appendDataChunk(chunk);
      }
    } finally {
      appender.closeSync();
    }
  }

  /** The columns after the key and the hash. */
  #columns(): string[] {
    return [...(isOwned(this.#name) ? ["workspaceId"] : []), ...dimensionTables[this.#name].fields];
  }
}

/** The texts joined by a character that no text contains; see enrich.ts. */
function joined(texts: Texts): string {
  return texts.join("\0");
}

/** The index of the row with these texts, which is added if it is missing. */
function indexIn(uncached: Map<string, UncachedRow>, lookupKey: string, texts: Texts): number {
  const text = joined(texts);
  const known = uncached.get(text);
  if (known !== undefined) return known.index;
  const index = uncached.size;
  // If a later Bun hashed differently, stored texts would get a second key. Answers would not change, because queries
  // group by the texts.
  uncached.set(text, { lookupKey, texts, hash: Bun.hash.wyhash(text), index });
  return index;
}
