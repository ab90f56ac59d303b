import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MovableClickStore } from "../../src/clicks/move.ts";
import { type ClickHouseOptions, openClickHouseStore } from "../../src/clicks/stores/clickhouse/clickhouse-store.ts";
import { openPostgresBatchLog } from "../../src/clicks/stores/clickhouse/postgres-batch-log.ts";
import type { Db } from "../../src/database/database.ts";
import { testDatabase } from "../support/databases.ts";
import type { TestedStore } from "../support/store-conformance/tested-store.ts";
import type { TestClickHouse } from "./clickhouse.ts";

/** A store in a separate database of ClickHouse and of PostgreSQL. */
export type TestedClickHouseStore = TestedStore & {
  store: MovableClickStore;
  /** The URL of its database in ClickHouse. */
  url: string;
  /** Its database in PostgreSQL, and the URL. */
  db: Db;
  databaseUrl: string;
  /** Opens another store in the same databases, as another process would. */
  another(options?: Partial<ClickHouseOptions>): MovableClickStore;
};

/** Opens an empty store. */
export async function openTestedStore(
  clickHouse: TestClickHouse,
  options: Partial<ClickHouseOptions> = {},
): Promise<TestedClickHouseStore> {
  const folder = mkdtempSync(join(tmpdir(), "waypost-clicks-"));
  const [url, { database, location, close }] = await Promise.all([
    clickHouse.createDatabase(),
    testDatabase("postgres"),
  ]);
  if (location.kind !== "postgres") throw new Error("The batch log needs PostgreSQL.");
  const stores = new Set<MovableClickStore>();
  let opened = 0;
  const open = (changes: Partial<ClickHouseOptions> = {}) => {
    const exportsFolder = join(folder, `exports-${opened++}`);
    const store = openClickHouseStore(
      { url, exportsFolder, ...options, ...changes },
      openPostgresBatchLog(location.url),
    );
    stores.add(store);
    return store;
  };
  let store = open();
  return {
    store,
    url,
    db: database.db,
    databaseUrl: location.url,
    another: open,
    async reopen() {
      await store.close();
      stores.delete(store);
      store = open();
      return store;
    },
    async remove() {
      for (const opened of stores) await opened.close();
      await clickHouse.dropDatabase(url);
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
