import { Recent } from "../../base/recent.ts";
import type { Click } from "../click.ts";
import type { Row } from "./duckdb-rows.ts";
import type { CompiledQuery } from "./duckdb-sql.ts";
import { isOwned, parts, type TextPartName, textPartNames } from "./facts.ts";

/** Entries of each shared dictionary that are remembered; twice as many at most, up to 1 KB each. */
const entriesMax = 5_000;

/** Reads rows. */
export type Read = (asked: CompiledQuery) => Promise<Row[]>;

/** The texts of a dictionary's entry, by their fields. */
type Texts = Readonly<Record<string, string>>;

/** A click's fields that stand in dictionaries. */
type TextFields = Omit<Click, "id" | "time" | "workspaceId" | "trigger" | "bot" | "visitor">;

/**
 * The texts of a page's facts. Entries of dictionaries that all workspaces share, such as places, never change while the
 * file is open, and are remembered: reading them from five tables costs more than the page. Entries of links and URLs go
 * with their clicks, and are read each time.
 */
export class PageTexts {
  readonly #remembered = new Map<TextPartName, Recent<number, Texts>>(
    textPartNames.filter((name) => !isOwned(name)).map((name) => [name, new Recent(entriesMax)]),
  );

  /** Reads the texts of these facts; the answer finds those of each. */
  async of(facts: readonly Row[], read: Read): Promise<(fact: Row) => TextFields> {
    const found = new Map<TextPartName, Map<number, Texts>>();
    for (const name of textPartNames) {
      const numbers = new Set(facts.map((fact) => Number(fact[parts[name].column])));
      found.set(name, await this.#entries(name, numbers, read));
    }
    return (fact) => fieldsOf(Object.assign({}, ...textPartNames.map((name) => textsOf(found, name, fact))));
  }

  async #entries(name: TextPartName, numbers: ReadonlySet<number>, read: Read): Promise<Map<number, Texts>> {
    const remembered = this.#remembered.get(name);
    const entries = new Map<number, Texts>();
    const unknown: number[] = [];
    for (const number of numbers) {
      const texts = remembered?.get(number);
      if (texts === undefined) unknown.push(number);
      else entries.set(number, texts);
    }
    if (unknown.length === 0) return entries;
    for (const { number, ...row } of await read(compileEntries(name, unknown))) {
      const texts = Object.fromEntries(Object.entries(row).map(([field, text]) => [field, String(text)]));
      entries.set(Number(number), texts);
      remembered?.set(Number(number), texts);
    }
    return entries;
  }
}

/** Numbers are whole, and stand in the SQL. */
function compileEntries(name: TextPartName, numbers: readonly number[]): CompiledQuery {
  const { table, fields } = parts[name];
  const columns = fields.map((field) => `"${field}"`).join(", ");
  const sql = `SELECT "number", ${columns} FROM "${table}" WHERE "number" IN (${numbers.join(", ")})`;
  return { sql, parameters: [] };
}

function textsOf(found: ReadonlyMap<TextPartName, ReadonlyMap<number, Texts>>, name: TextPartName, fact: Row): Texts {
  const number = Number(fact[parts[name].column]);
  const texts = found.get(name)?.get(number);
  if (texts === undefined) throw new Error(`The dictionary ${parts[name].table} has no entry ${number}.`);
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
