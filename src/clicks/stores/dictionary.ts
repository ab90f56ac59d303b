import { type DuckDBConnection, DuckDBDataChunk, INTEGER, UBIGINT, VARCHAR } from "@duckdb/node-api";
import type { Click } from "../click.ts";
import { isOwned, type PartName, parts } from "./facts.ts";
import { RecentNumbers, type Texts } from "./recent-numbers.ts";

/** Entries remembered of each dictionary; twice as many at most. */
const recentEntriesMax = 100_000;
/** What one appended chunk holds at most: DuckDB's own vector size. */
export const chunkRowsMax = 2_048;

/** A click's texts in a dictionary: in the order of its columns, the workspace first where it belongs to one. */
type TextsOf = {
  texts(click: Click): Texts;
  /** The one of them that tells most entries apart. */
  telling(click: Click): string;
};

/** TABLE of a click's texts by dictionary. */
const textsOf: { [Name in PartName]: TextsOf } = {
  link: {
    texts: ({ workspaceId, linkId, domainId, domain, key }) => [workspaceId, linkId, domainId, domain, key],
    telling: ({ linkId }) => linkId,
  },
  url: {
    texts: ({ workspaceId, url, utm_source, utm_medium, utm_campaign, utm_term, utm_content }) => [
      ...[workspaceId, url, utm_source, utm_medium, utm_campaign, utm_term, utm_content],
    ],
    telling: ({ url }) => url,
  },
  place: {
    texts: ({ country, region, city, continent }) => [country, region, city, continent],
    telling: ({ country, region, city }) => city || region || country,
  },
  agent: { texts: ({ device, browser, os }) => [device, browser, os], telling: ({ browser }) => browser },
  referrer: { texts: ({ referer, refererUrl }) => [referer, refererUrl], telling: ({ refererUrl }) => refererUrl },
  language: { texts: ({ language }) => [language], telling: ({ language }) => language },
  origin: { texts: (click) => [originOf(click)], telling: originOf },
};

/** How the last id began of which originOf was asked, and its origin: clicks come spool by spool. */
let last: { start: string; origin: string } | undefined;

/** The half of a UUID that the clicks of a spool have in common: its first 16 digits. */
function originOf({ id }: Click): string {
  if (last === undefined || !id.startsWith(last.start)) {
    last = { start: id.slice(0, 18), origin: id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) };
  }
  return last.origin;
}

/** An entry that is not remembered: which of them it is in its batch. */
type Unknown = { telling: string; texts: Texts; hash: bigint; index: number };

/**
 * One of the dictionaries of facts.ts: gives texts their numbers. Its calls belong to the transaction of whoever makes
 * them; after a rollback, `forget` what was said within it.
 */
export class Dictionary {
  readonly #name: PartName;
  readonly #connection: DuckDBConnection;
  readonly #textsOf: TextsOf;
  readonly #beforeAdding: (entries: readonly Texts[]) => void;
  #recent = new RecentNumbers(recentEntriesMax);
  /** The next new number; undefined until the table has been asked. */
  #next: number | undefined;

  /** `beforeAdding` hears of entries that the transaction under way adds, in the order of textsOf. */
  constructor(name: PartName, connection: DuckDBConnection, beforeAdding: (entries: readonly Texts[]) => void) {
    this.#beforeAdding = beforeAdding;
    this.#name = name;
    this.#connection = connection;
    this.#textsOf = textsOf[name];
  }

  /** The numbers of the rows' texts, in the rows' order. Texts that have none yet are stored under a new one. */
  async numbersOf(rows: readonly Click[]): Promise<Int32Array> {
    const numbers = new Int32Array(rows.length);
    const unknown = new Map<string, Unknown>();
    rows.forEach((click, row) => {
      const texts = this.#textsOf.texts(click);
      const telling = this.#textsOf.telling(click);
      numbers[row] = this.#recent.get(telling, texts) ?? -1 - indexIn(unknown, telling, texts);
    });
    if (unknown.size === 0) return numbers;
    const found = await this.#find(unknown);
    for (let row = 0; row < numbers.length; row++) {
      const number = numbers[row] ?? 0;
      if (number < 0) numbers[row] = found[-1 - number] ?? 0;
    }
    return numbers;
  }

  /** Forgets everything, so that only what the table holds counts. */
  forget(): void {
    this.#recent = new RecentNumbers(recentEntriesMax);
    this.#next = undefined;
  }

  /** The numbers of what is not remembered, by its index: of those the table has, and new ones for the others. */
  async #find(unknown: ReadonlyMap<string, Unknown>): Promise<number[]> {
    const found: number[] = [];
    let next = this.#next ?? (await this.#readNext());
    if (next > 0) {
      for (const [texts, number] of await this.#select(unknown)) {
        const index = unknown.get(nameOf(texts))?.index;
        if (index !== undefined) found[index] = number;
      }
    }
    const added: { entry: Unknown; number: number }[] = [];
    for (const entry of unknown.values()) {
      const number = found[entry.index] ?? next++;
      if (found[entry.index] === undefined) added.push({ entry, number });
      found[entry.index] = number;
      this.#recent.set(entry.telling, entry.texts, number);
    }
    this.#next = next;
    if (added.length > 0) await this.#append(added);
    return found;
  }

  async #readNext(): Promise<number> {
    const { table } = parts[this.#name];
    const result = await this.#connection.runAndReadAll(`SELECT coalesce(max("number") + 1, 0) FROM "${table}"`);
    return Number(result.getRows()[0]?.[0]);
  }

  /** Found by their hash, of which other texts may have the same: the caller compares. */
  async #select(unknown: ReadonlyMap<string, Unknown>): Promise<[texts: Texts, number: number][]> {
    const { table } = parts[this.#name];
    const hashes = JSON.stringify(Array.from(unknown.values(), ({ hash }) => String(hash)));
    const columns = this.#columns().map((name) => `"${name}"`);
    const result = await this.#connection.runAndReadAll(
      `SELECT "number", ${columns.join(", ")} FROM "${table}"
       WHERE "hash" IN (SELECT unnest(from_json($1, '["UBIGINT"]')))`,
      [hashes],
    );
    return result.getRows().map(([number, ...texts]) => [texts.map(String), Number(number)]);
  }

  async #append(added: readonly { entry: Unknown; number: number }[]): Promise<void> {
    this.#beforeAdding(added.map(({ entry }) => entry.texts));
    const appender = await this.#connection.createAppender(parts[this.#name].table);
    try {
      const textTypes = this.#columns().map((name) => (name === "workspaceId" ? INTEGER : VARCHAR));
      for (let start = 0; start < added.length; start += chunkRowsMax) {
        const chunk = DuckDBDataChunk.create([INTEGER, UBIGINT, ...textTypes]);
        const part = added.slice(start, start + chunkRowsMax);
        chunk.setRows(part.map(({ entry, number }) => [number, entry.hash, ...entry.texts]));
        appender.appendDataChunk(chunk);
      }
    } finally {
      appender.closeSync();
    }
  }

  /** The columns behind number and hash. */
  #columns(): string[] {
    return [...(isOwned(this.#name) ? ["workspaceId"] : []), ...parts[this.#name].fields];
  }
}

/** The texts as one. Between them stands what no text has, see enrich.ts. */
function nameOf(texts: Texts): string {
  return texts.join("\0");
}

function indexIn(unknown: Map<string, Unknown>, telling: string, texts: Texts): number {
  const name = nameOf(texts);
  const known = unknown.get(name);
  if (known !== undefined) return known.index;
  const index = unknown.size;
  // Were it another one some day, texts would get a second number, and be added up all the same.
  unknown.set(name, { telling, texts, hash: Bun.hash.wyhash(name), index });
  return index;
}
