/**
 * One connection that follows a PostgreSQL database: consistent reads, and a notification after each commit with
 * events or blocks (migration 0120).
 */
import type { QueryResultRow } from "pg";
import { secondMs } from "../base/time.ts";
import { endPostgresClient, openPostgresClient } from "./postgres-client.ts";

/** A page of links takes milliseconds; the first read of a cold table may take seconds. */
const statementTimeoutMs = 15 * secondMs;
/** How long a query waits for a silent server; longer than the server runs a statement. */
const queryTimeoutMs = 20 * secondMs;
/** The channel on which the triggers of migration 0120 notify. */
const channel = "waypost_changes";

/**
 * Planning takes longer than a short query, so a named query is planned once. The tables may be small then and large
 * later, so its plan must be the one for large tables: nested loops over indexes, which serve all queries of a follower.
 */
const planSettings = [
  "plan_cache_mode = force_generic_plan",
  "enable_seqscan = off",
  "enable_hashjoin = off",
  "enable_mergejoin = off",
]
  .map((setting) => `SET ${setting}`)
  .join("; ");

/** The name of these connections in pg_stat_activity. */
export const followerName = "waypost-links";

/**
 * Runs a query with parameters, and resolves with its rows. PostgreSQL parses and plans a query with a name once per
 * connection, so a name must always have the same text.
 */
export type PostgresQuery = <Row extends QueryResultRow>(
  sql: string,
  parameters?: readonly unknown[],
  name?: string,
) => Promise<Row[]>;

/** An open connection; see the top of this file. */
export type PostgresFollower = {
  query: PostgresQuery;
  /** Runs the work in a transaction that only reads and sees one snapshot. After a failure, close the connection. */
  inSnapshot<Result>(work: (query: PostgresQuery) => Promise<Result>): Promise<Result>;
  /** Ends the connection; a running query fails. */
  close(): Promise<void>;
};

/**
 * Connects and listens. `onChanges` is called after each commit with changes of any node; `onEnd` once when the
 * connection ends. Behind a pooler that gives each transaction another session, notifications may be lost, so callers also poll.
 * Throws the driver's error when PostgreSQL does not answer.
 */
export async function followPostgres(
  url: string,
  { onChanges, onEnd }: { onChanges(): void; onEnd(): void },
): Promise<PostgresFollower> {
  const { numericInt8 } = await import("../base/postgres-pool.ts");
  const client = await openPostgresClient(url, {
    statement_timeout: statementTimeoutMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    application_name: followerName,
    types: numericInt8,
  });
  client.on("notification", onChanges);
  client.on("end", onEnd);
  const query: PostgresQuery = async (text, parameters = [], name) =>
    (await client.query({ text, values: [...parameters], ...(name === undefined ? {} : { name }) })).rows;
  const close = () => endPostgresClient(client);
  try {
    await query(`${planSettings}; LISTEN ${channel}`);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    query,
    async inSnapshot(work) {
      await query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      const result = await work(query);
      await query("COMMIT");
      return result;
    },
    close,
  };
}
