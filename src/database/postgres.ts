import { PostgresDialect } from "kysely";

const connectionsMax = 10;

/** The Kysely dialect over a PostgreSQL at `url`. The driver is loaded only when PostgreSQL is used. */
export function postgresDialect(url: string): PostgresDialect {
  return new PostgresDialect({
    async pool() {
      const { openPostgresPool } = await import("../base/postgres-pool.ts");
      return openPostgresPool(url, connectionsMax);
    },
  });
}
