import { PostgresDialect, type PostgresPool } from "kysely";
import { minuteMs, secondMs } from "../base/time.ts";

const connectionsMax = 10;
const connectTimeoutMs = 5 * secondMs;
/** No query of ours runs longer; a lock that is never given must not hold a request for ever. */
const statementTimeoutMs = 20 * secondMs;
/**
 * How long a query waits for a server that says nothing at all. Together with the time for a connection it stays below
 * the 30 seconds after which the HTTP server closes a connection without an answer.
 */
const queryTimeoutMs = 22 * secondMs;
/** After which a connection is replaced: one whose other end has vanished without a word is used for no longer. */
const lifetimeMaxMs = 2 * minuteMs;

/** OID of int8. All our 64-bit values are instants and counts, which a double holds exactly up to 2^53. */
const int8 = 20;

/** The Kysely dialect over a PostgreSQL at `url`. */
export function postgresDialect(url: string): PostgresDialect {
  return new PostgresDialect({ pool: () => openPool(url) });
}

/** Loads the driver only where there is a PostgreSQL. */
async function openPool(url: string): Promise<PostgresPool> {
  const { Pool, types } = await import("pg");
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: queryTimeoutMs,
    maxLifetimeSeconds: lifetimeMaxMs / secondMs,
    types: {
      getTypeParser: (oid, format) => (oid === int8 ? Number : types.getTypeParser(oid, format)),
    },
  });
  // An idle connection that breaks is replaced by the pool at the next use; without a listener Node would exit.
  pool.on("error", () => {});
  return pool;
}
