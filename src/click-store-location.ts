import { join } from "node:path";
import type { ClickStoreSettings } from "./clicks/stores/open-click-store.ts";
import { type Config, ConfigError } from "./config.ts";
import { dataPaths } from "./data-paths.ts";

/** DuckDB threads: one, so that reports never take more than one core. */
const duckDbThreads = 1;

/** The name of the click store in messages: its file, or the host and database of ClickHouse. */
export function clickStoreName(config: Config): string {
  if (config.WAYPOST_CLICKS_URL === undefined) return dataPaths(config).clicks;
  const { host, pathname } = new URL(config.WAYPOST_CLICKS_URL);
  return `ClickHouse at ${host}${pathname}`;
}

/** The click store that the configuration asks for. Throws ConfigError for ClickHouse without PostgreSQL. */
export function clickStoreSettings(config: Config): ClickStoreSettings {
  const { WAYPOST_CLICKS_URL: url, WAYPOST_CLICKS_CLUSTER: cluster, WAYPOST_DATABASE_URL: databaseUrl } = config;
  const { data, clicks } = dataPaths(config);
  if (url === undefined) return { engine: "duckdb", path: clicks, threads: duckDbThreads };
  if (databaseUrl === undefined) {
    throw new ConfigError(
      "WAYPOST_CLICKS_URL: it needs WAYPOST_DATABASE_URL, because PostgreSQL records which clicks are stored.",
    );
  }
  return { engine: "clickhouse", url, cluster, databaseUrl, exportsFolder: join(data, "exports") };
}
