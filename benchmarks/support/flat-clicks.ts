/** The reference for reports: all clicks in one DuckDB table, one row per click, in order of arrival. */
import { existsSync, renameSync, rmSync } from "node:fs";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { ClickQuery, ClickRow } from "../../src/clicks/query.ts";
import type { ClickStore } from "../../src/clicks/store.ts";
import { clickRow } from "../../src/clicks/stores/click-row.ts";
import { rollupBucketMs } from "../../src/clicks/stores/duckdb/star-schema.ts";
import { compileFlat } from "./flat-sql.ts";
import type { Instance } from "./report-folder.ts";

/** The same as the store's. */
const threads = "2";
const memoryMax = "1GB";
/** For the copy, whose sort would spill otherwise. */
const copyMemoryMax = "6GB";
/** The clicks that are sorted in one pass. */
const clicksAtOnce = 5_000_000;

/** The open flat table. */
type FlatClicks = {
  query(query: ClickQuery): Promise<ClickRow[]>;
  firstClick: ClickStore["firstClick"];
  close(): void;
};

/** Opens the flat table beside an instance, created when absent. The instance's store must not be open. */
export async function openFlat(instance: Instance): Promise<FlatClicks> {
  if (!existsSync(instance.flat)) await makeFlat(instance);
  const opened = await DuckDBInstance.create(instance.flat, { threads, memory_limit: memoryMax });
  const connection = await opened.connect();
  return {
    query: (query) => ask(connection, query),
    async firstClick({ workspaceId, before }) {
      const first = `SELECT min("time") // ${rollupBucketMs} * ${rollupBucketMs} FROM clicks WHERE "workspaceId" = ${workspaceId} AND "time" < ${before}`;
      const [row] = (await connection.runAndReadAll(first)).getRows();
      return row?.[0] === null ? undefined : Number(row?.[0]);
    },
    close() {
      connection.closeSync();
      opened.closeSync();
    },
  };
}

async function makeFlat({ store, flat, clicks }: Instance): Promise<void> {
  const unfinished = `${flat}.unfinished`;
  rmSync(unfinished, { force: true });
  const opened = await DuckDBInstance.create(store, { threads, memory_limit: copyMemoryMax });
  const connection = await opened.connect();
  try {
    await connection.run(`ATTACH '${unfinished.replaceAll("'", "''")}' AS flat`);
    await connection.run("CREATE TABLE flat.clicks AS SELECT * FROM clicks LIMIT 0");
    const parts = Math.ceil(clicks / clicksAtOnce);
    const quantiles = Array.from({ length: parts - 1 }, (_, index) => (index + 1) / parts);
    const found = await connection.runAndReadAll(
      `SELECT ${quantiles.map((part) => `quantile_disc("time", ${part})`).join(", ") || "NULL"} FROM clicks`,
    );
    const borders = [0, ...(found.getRows()[0] ?? []).flatMap((time) => (time === null ? [] : [Number(time)]))];
    for (const [index, from] of borders.entries()) {
      const to = borders[index + 1] ?? Number.MAX_SAFE_INTEGER;
      await connection.run(
        `INSERT INTO flat.clicks SELECT * FROM clicks WHERE "time" >= ${from} AND "time" < ${to} ORDER BY "time", "id"`,
      );
      process.stderr.write(`the flat table: ${index + 1} of ${borders.length} parts\n`);
    }
    await connection.run("DETACH flat");
  } finally {
    connection.closeSync();
    opened.closeSync();
  }
  renameSync(unfinished, flat);
}

async function ask(connection: DuckDBConnection, query: ClickQuery): Promise<ClickRow[]> {
  const { sql, parameters } = compileFlat(query);
  const result = await connection.runAndReadAll(sql, parameters);
  return result.getRowObjects().map(clickRow);
}
