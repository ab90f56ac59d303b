import { type DuckDBConnection, DuckDBDataChunk, INTEGER, UBIGINT, VARCHAR } from "@duckdb/node-api";
import type { Click } from "../../click.ts";
import { KeyCache, type Texts } from "./key-cache.ts";
import { type DimensionName, dimensionTables, isOwned } from "./star-schema.ts";

/** Entries remembered of each dictionary; twice as many at most. */
const cachedEntriesMax = 100_000;
/** What one appended chunk holds at most: DuckDB's own vector size. */
export const chunkRowsMax = 2_048;

/** A click's texts in a dictionary: in the order of its columns, the workspace first where it belongs to one. */
type TextsOf = {
  texts(click: Click): Texts;
  /** The one of them that tells most entries apart. */
  lookupKey(click: Click): string;
};

/** TABLE of a click's texts by dictionary. */
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
  referrer: { texts: ({ referer, refererUrl }) => [referer, refererUrl], lookupKey: ({ refererUrl }) => refererUrl },
  language: { texts: ({ language }) => [language], lookupKey: ({ language }) => language },
  idPrefix: { texts: (click) => [idPrefixOf(click)], lookupKey: idPrefixOf },
};

/** How the last id began of which idPrefixOf was asked, and its origin: clicks come spool by spool. */
let last: { start: string; idPrefix: string } | undefined;

/** The half of a UUID that the clicks of a spool have in common: its first 16 digits. */
function idPrefixOf({ id }: Click): string {
  if (last === undefined || !id.startsWith(last.start)) {
    last = { start: id.slice(0, 18), idPrefix: id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) };
  }
  return last.idPrefix;
}

/** An entry that is not remembered: which of them it is in its batch. */
type Unknown = { lookupKey: string; texts: Texts; hash: bigint; index: number };

/**
 * One of the dictionaries of facts.ts: gives texts their numbers. Its calls belong to the transaction of whoever makes
 * them; after a rollback, `forget` what was said within it.
 */
export class SurrogateKeys {
  readonly #name: DimensionName;
  readonly #connection: DuckDBConnection;
  readonly #textsOf: TextsOf;
  readonly #beforeAdding: (entries: readonly Texts[]) => void;
  #recent = new KeyCache(cachedEntriesMax);
  /** The next new number; undefined until the table has been asked. */
  #next: number | undefined;

  /** `beforeAdding` hears of entries that the transaction under way adds, in the order of textsOf. */
  constructor(name: DimensionName, connection: DuckDBConnection, beforeAdding: (entries: readonly Texts[]) => void) {
    this.#beforeAdding = beforeAdding;
    this.#name = name;
    this.#connection = connection;
    this.#textsOf = textsOf[name];
  }

  /** The numbers of the rows' texts, in the rows' order. Texts that have none yet are stored under a new one. */
  async keysOf(rows: readonly Click[]): Promise<Int32Array> {
    const keys = new Int32Array(rows.length);
    const unknown = new Map<string, Unknown>();
    rows.forEach((click, row) => {
      const texts = this.#textsOf.texts(click);
      const lookupKey = this.#textsOf.lookupKey(click);
      keys[row] = this.#recent.get(lookupKey, texts) ?? -1 - indexIn(unknown, lookupKey, texts);
    });
    if (unknown.size === 0) return keys;
    const found = await this.#find(unknown);
    for (let row = 0; row < keys.length; row++) {
      const key = keys[row] ?? 0;
      if (key < 0) keys[row] = found[-1 - key] ?? 0;
    }
    return keys;
  }

  /** Forgets everything, so that only what the table holds counts. */
  forget(): void {
    this.#recent = new KeyCache(cachedEntriesMax);
    this.#next = undefined;
  }

  /** The numbers of what is not remembered, by its index: of those the table has, and new ones for the others. */
  async #find(unknown: ReadonlyMap<string, Unknown>): Promise<number[]> {
    const found: number[] = [];
    let next = this.#next ?? (await this.#readNext());
    if (next > 0) {
      for (const [texts, key] of await this.#select(unknown)) {
        const index = unknown.get(nameOf(texts))?.index;
        if (index !== undefined) found[index] = key;
      }
    }
    const added: { entry: Unknown; key: number }[] = [];
    for (const entry of unknown.values()) {
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

  /** Found by their hash, of which other texts may have the same: the caller compares. */
  async #select(unknown: ReadonlyMap<string, Unknown>): Promise<[texts: Texts, key: number][]> {
    const { table } = dimensionTables[this.#name];
    const hashes = JSON.stringify(Array.from(unknown.values(), ({ hash }) => String(hash)));
    const columns = this.#columns().map((name) => `"${name}"`);
    const result = await this.#connection.runAndReadAll(
      `SELECT "number", ${columns.join(", ")} FROM "${table}"
       WHERE "hash" IN (SELECT unnest(from_json($1, '["UBIGINT"]')))`,
      [hashes],
    );
    return result.getRows().map(([key, ...texts]) => [texts.map(String), Number(key)]);
  }

  async #append(added: readonly { entry: Unknown; key: number }[]): Promise<void> {
    this.#beforeAdding(added.map(({ entry }) => entry.texts));
    const appender = await this.#connection.createAppender(dimensionTables[this.#name].table);
    try {
      const textTypes = this.#columns().map((name) => (name === "workspaceId" ? INTEGER : VARCHAR));
      for (let start = 0; start < added.length; start += chunkRowsMax) {
        const chunk = DuckDBDataChunk.create([INTEGER, UBIGINT, ...textTypes]);
        const part = added.slice(start, start + chunkRowsMax);
        chunk.setRows(part.map(({ entry, key }) => [key, entry.hash, ...entry.texts]));
        appender.appendDataChunk(chunk);
      }
    } finally {
      appender.closeSync();
    }
  }

  /** The columns behind number and hash. */
  #columns(): string[] {
    return [...(isOwned(this.#name) ? ["workspaceId"] : []), ...dimensionTables[this.#name].fields];
  }
}

/** The texts as one. Between them stands what no text has, see enrich.ts. */
function nameOf(texts: Texts): string {
  return texts.join("\0");
}

function indexIn(unknown: Map<string, Unknown>, lookupKey: string, texts: Texts): number {
  const name = nameOf(texts);
  const known = unknown.get(name);
  if (known !== undefined) return known.index;
  const index = unknown.size;
  // Were it another one some day, texts would get a second number, and be added up all the same.
  unknown.set(name, { lookupKey, texts, hash: Bun.hash.wyhash(name), index });
  return index;
}
