import type { Config } from "./config.ts";
import { dataPaths } from "./data-paths.ts";
import type { DatabaseLocation } from "./database/database.ts";

/** The relational database that the configuration asks for. */
export function databaseLocation(config: Config): DatabaseLocation {
  const url = config.WAYPOST_DATABASE_URL;
  return url === undefined ? { kind: "sqlite", path: dataPaths(config).sqlite } : { kind: "postgres", url };
}
