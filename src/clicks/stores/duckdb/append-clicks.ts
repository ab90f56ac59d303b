import {
  BIGINT,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  INTEGER,
  UBIGINT,
  UTINYINT,
} from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import type { Click } from "../../click.ts";
import { type CodeName, codes, type DimensionName, dimensionNames, level0 } from "./star-schema.ts";
import { chunkRowsMax, type SurrogateKeys } from "./surrogate-keys.ts";

/** A fact column in memory, in DuckDB's layout; `bytes` is the size of one value. */
type Column = { type: DuckDBType; bytes: number; items: Int32Array | Uint8Array };

/**
 * Appends clicks to level 0, within the caller's transaction.
 * Copies whole columns into DuckDB's memory. Appending value by value takes ten times as long.
 */
export async function appendClicks(
  connection: DuckDBConnection,
  surrogateKeys: Readonly<Record<DimensionName, SurrogateKeys>>,
  rows: readonly Click[],
): Promise<void> {
  const columns = await columnsOf(surrogateKeys, rows);
  const types = columns.map(({ type }) => type);
  const appender = await connection.createAppender(level0);
  try {
    for (let start = 0; start < rows.length; start += chunkRowsMax) {
      const count = Math.min(chunkRowsMax, rows.length - start);
      const chunk = DuckDBDataChunk.create(types, count);
      columns.forEach(({ bytes, items }, index) => {
        const vector = duckdb.data_chunk_get_vector(chunk.chunk, index);
        // Only this call uses the memory, so the buffer is not shared.
        const buffer = items.buffer as ArrayBuffer;
        duckdb.copy_data_to_vector(vector, 0, buffer, items.byteOffset + start * bytes, count * bytes);
      });
      appender.appendDataChunk(chunk);
    }
  } finally {
    appender.closeSync();
  }
}

/** The columns, in the order of factColumns. */
async function columnsOf(
  surrogateKeys: Readonly<Record<DimensionName, SurrogateKeys>>,
  rows: readonly Click[],
): Promise<Column[]> {
  const time = new Int32Array(2 * rows.length);
  const visitor = new Int32Array(2 * rows.length);
  const idLow = new Int32Array(2 * rows.length);
  const workspaceId = new Int32Array(rows.length);
  const bot = new Uint8Array(rows.length);
  const trigger = new Uint8Array(rows.length);
  rows.forEach((click, row) => {
    workspaceId[row] = click.workspaceId;
    // Two 32-bit words each, the lower one first, as on every processor that DuckDB supports.
    time[2 * row] = click.time;
    time[2 * row + 1] = Math.floor(click.time / 2 ** 32);
    if (click.visitor !== "") setWords(visitor, row, click.visitor, 0, 8);
    // The last 16 digits of a UUID begin at its fourth group: xxxxxxxx-xxxx-xxxx-yyyy-yyyyyyyyyyyy.
    idLow[2 * row + 1] = hexWord(click.id, 19, 23) * 2 ** 16 + hexWord(click.id, 24, 28);
    idLow[2 * row] = hexWord(click.id, 28, 36);
    bot[row] = codeOf("bot", click.bot);
    trigger[row] = codeOf("trigger", click.trigger);
  });
  const keys: Column[] = [];
  for (const name of dimensionNames) {
    keys.push({ type: INTEGER, bytes: 4, items: await surrogateKeys[name].keysOf(rows) });
  }
  return [
    { type: INTEGER, bytes: 4, items: workspaceId },
    { type: BIGINT, bytes: 8, items: time },
    ...keys,
    { type: UTINYINT, bytes: 1, items: bot },
    { type: UTINYINT, bytes: 1, items: trigger },
    { type: UBIGINT, bytes: 8, items: visitor },
    { type: UBIGINT, bytes: 8, items: idLow },
  ];
}

const codeNumbers = {
  bot: new Map(codes.bot.map((text, number) => [text as string, number])),
  trigger: new Map(codes.trigger.map((text, number) => [text as string, number])),
};

function codeOf(name: CodeName, text: string): number {
  const code = codeNumbers[name].get(text);
  if (code === undefined) throw new Error(`${JSON.stringify(text)} is not a ${name} of a click.`);
  return code;
}

function setWords(words: Int32Array, row: number, hex: string, start: number, length: number): void {
  words[2 * row + 1] = hexWord(hex, start, start + length);
  words[2 * row] = hexWord(hex, start + length, start + 2 * length);
}

/** The value of lower-case hexadecimal digits. Throws for other characters. */
function hexWord(text: string, start: number, end: number): number {
  let word = 0;
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    const digit = code <= 57 ? code - 48 : code >= 97 ? code - 87 : -1;
    // NaN at the end of the text.
    if (!(digit >= 0 && digit < 16)) {
      throw new Error(`${JSON.stringify(text)} is not a click's id in lower-case hexadecimal digits.`);
    }
    word = word * 16 + digit;
  }
  return word;
}
