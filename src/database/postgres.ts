import { PostgresDialect } from "kysely";

const connectionsMax = 10;
const connectTimeoutMs = 5_000;
/** No query of ours runs longer; a lock that is never given must not hold a request for ever. */
const statementTimeoutMs = 30_000;

/** OID of int8. All our 64-bit values are instants and counts, which a double holds exactly up to 2^53. */
const int8 = 20;

/** The Kysely dialect over a PostgreSQL at `url`. */
export function postgresDialect(url: string): PostgresDialect {
  return new PostgresDialect({ pool: () => openPool(url) });
}

/** Loads the driver only where there is a PostgreSQL. */
async function openPool(url: string) {
  const { Pool, types } = await import("pg");
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    types: {
      getTypeParser: (oid, format) => (oid === int8 ? Number : types.getTypeParser(oid, format)),
    },
  });
  // An idle connection that breaks is replaced by the pool at the next use; without a listener Node would exit.
  pool.on("error", () => {});
  return pool;
}
