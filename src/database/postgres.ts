import { PostgresDialect, type PostgresPool } from "kysely";
import { minuteMs, secondMs } from "../base/time.ts";
import { connectTimeoutMs, numericInt8 } from "./postgres-client.ts";

const connectionsMax = 10;
/** No query takes longer; a lock that is never granted must not hold a request forever. */
const statementTimeoutMs = 20 * secondMs;
/**
 * How long a query waits for a silent server. With the time for a connection, it stays below the 30 seconds after which
 * the HTTP server closes a connection without a response.
 */
const queryTimeoutMs = 22 * secondMs;
/** Age at which a connection is replaced, in case its other end has vanished silently. */
const lifetimeMaxMs = 2 * minuteMs;

/** The Kysely dialect over a PostgreSQL at `url`. */
export function postgresDialect(url: string): PostgresDialect {
  return new PostgresDialect({ pool: () => openPool(url) });
}

/** Loads the driver only when PostgreSQL is used. */
async function openPool(url: string): Promise<PostgresPool> {
  const { Pool } = await import("pg");
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: queryTimeoutMs,
    maxLifetimeSeconds: lifetimeMaxMs / secondMs,
    types: await numericInt8(),
  });
  // The pool replaces a broken idle connection at the next use; without a listener Node would exit.
  pool.on("error", () => {});
  return pool;
}
