/** The clicks of an instance in ClickHouse: in the tables of the store, and in one flat table in order of time. */
import { rmSync } from "node:fs";
import { type ClickHouseClient, createClient } from "@clickhouse/client";
import { DuckDBInstance } from "@duckdb/node-api";
import type { ClickQuery, ClickRow } from "../../src/clicks/query.ts";
import type { ClickStore } from "../../src/clicks/store.ts";
import { clickRow } from "../../src/clicks/stores/click-row.ts";
import { compileQuery } from "../../src/clicks/stores/clickhouse/compile-query.ts";
import { compileFirstClick } from "../../src/clicks/stores/clickhouse/compile-reads.ts";
import type { Expiry } from "../../src/clicks/stores/clickhouse/expiries.ts";
import { projectionNames } from "../../src/clicks/stores/clickhouse/projections.ts";
import { clickColumns } from "../../src/clicks/stores/clickhouse/rows.ts";
import type { Statement } from "../../src/clicks/stores/clickhouse/sql.ts";
import type { Instance } from "./report-folder.ts";

const flatTable = "flat_clicks";
const none: Expiry = { version: 0, generation: 0, planned: undefined, hidden: [] };
/** Threads of the server for a query, as many as the DuckDB store has in the same benchmark. */
const threads = 2;

/** Copies an instance's clicks into both tables of a database whose store has been opened. */
export async function copyToClickHouse({ store, flat }: Instance, url: string): Promise<void> {
  const path = `${flat}.parquet`;
  await exportTo(store, path);
  const client = createClient({ url, request_timeout: 3_600_000 });
  const columns = clickColumns.filter((name) => name !== "batch");
  const values = columns.map((name) => {
    if (name === "time") return "fromUnixTimestamp64Milli(time, 'UTC')";
    if (name === "id") return "toUUID(id)";
    return name === "visitor" ? "coalesce(visitor, 0)" : `coalesce(${name}, '')`;
  });
  try {
    await client.command({ query: `CREATE TABLE ${flatTable} AS clicks ENGINE = MergeTree ORDER BY time` });
    // The copied columns bring the projections.
    const dropped = projectionNames.map((name) => `DROP PROJECTION IF EXISTS ${name}`);
    await client.command({ query: `ALTER TABLE ${flatTable} ${dropped.join(", ")}` });
    for (const table of ["clicks", flatTable]) {
      await client.command({
        query: `INSERT INTO ${table} (${columns.join(", ")}, batch) SELECT ${values.join(", ")}, 1 FROM file('${path}', 'Parquet')`,
      });
      await client.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
    }
  } finally {
    await client.close();
    rmSync(path, { force: true });
  }
}

async function exportTo(store: string, path: string): Promise<void> {
  const opened = await DuckDBInstance.create(store, { threads: String(threads), memory_limit: "4GB" });
  const connection = await opened.connect();
  try {
    await connection.run(
      `COPY (
         SELECT clicks.* REPLACE ("id"::VARCHAR AS "id"), "refererGroup", "channel"
         FROM clicks LEFT JOIN (SELECT DISTINCT "referer", "refererGroup", "channel" FROM referrers) USING ("referer")
       ) TO '${path}' (FORMAT parquet)`,
    );
  } finally {
    connection.closeSync();
    opened.closeSync();
  }
}

/** Answers the store's queries from the flat table. */
export function flatClickHouse(url: string): Pick<ClickStore, "query" | "firstClick"> & { close(): Promise<void> } {
  const client: ClickHouseClient = createClient({ url, use_multipart_params_auto: true });
  const ask = async ({ sql, parameters }: Statement) => {
    const query = sql.replaceAll(/\bFROM clicks\b/g, `FROM ${flatTable}`);
    const settings = { prefer_column_name_to_alias: 1, output_format_json_quote_64bit_integers: 0 } as const;
    const result = await client.query({
      ...{ query, query_params: parameters, format: "JSONEachRow" },
      clickhouse_settings: settings,
    });
    return await result.json<Record<string, unknown>>();
  };
  return {
    query: async (query: ClickQuery): Promise<ClickRow[]> => (await ask(compileQuery(query, none))).map(clickRow),
    async firstClick(query) {
      const [row] = await ask(compileFirstClick(query, none));
      const first = row?.["first"];
      return typeof first === "number" ? first : undefined;
    },
    close: () => client.close(),
  };
}
