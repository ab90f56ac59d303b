import { type CustomTypesConfig, Pool, types } from "pg";
import { minuteMs, secondMs } from "./time.ts";

/** Timeout of connecting. */
const connectTimeoutMs = 5 * secondMs;
/** No query takes longer; a lock that is never granted must not hold a request forever. */
const statementTimeoutMs = 20 * secondMs;
/**
 * How long a query waits for a silent server. With the time for a connection, it stays below the 30 seconds after which
 * the HTTP server closes a connection without a response.
 */
const queryTimeoutMs = 22 * secondMs;
/**
 * PostgreSQL ends a session whose transaction is idle for this long. The locks of a transaction then do not outlive a
 * process that is frozen, or whose machine has vanished; other nodes would wait for them.
 */
const idleTransactionMaxMs = 20 * secondMs;
/** Age at which a connection is replaced, in case its other end has vanished silently. */
const lifetimeMaxMs = 2 * minuteMs;

/** OID of int8. All our 64-bit values are instants, positions and counts, which a double holds exactly up to 2^53. */
const int8 = 20;

/** Makes the driver return int8 as numbers; others as by default. */
export const numericInt8: CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === int8 ? Number : types.getTypeParser(oid, format)),
};

/** A pool of connections to the PostgreSQL at `url`, which connects when it is first used. It returns int8 as numbers. */
export function openPostgresPool(url: string, connectionsMax: number): Pool {
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: queryTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionMaxMs,
    maxLifetimeSeconds: lifetimeMaxMs / secondMs,
    types: numericInt8,
  });
  // A connection that breaks fails its queries, and is replaced. Without these listeners, one that breaks while it is
  // idle, or between two statements of a transaction, would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}
