/** Single connections to PostgreSQL, beside the pool of postgres.ts, and what both have in common. */
import type { Client, ClientConfig, CustomTypesConfig } from "pg";
import { secondMs } from "../base/time.ts";

/** Timeout of connecting. */
export const connectTimeoutMs = 5 * secondMs;
/** Timeout of closing a connection. */
const closeMaxMs = secondMs;

/** OID of int8. All our 64-bit values are instants and counts, which a double holds exactly up to 2^53. */
const int8 = 20;

/** Makes the driver return int8 as numbers; others as by default. The driver is loaded only when PostgreSQL is used. */
export async function numericInt8(): Promise<CustomTypesConfig> {
  const { types } = await import("pg");
  return { getTypeParser: (oid, format) => (oid === int8 ? Number : types.getTypeParser(oid, format)) };
}

/** An open connection to the database at `url`. Throws the driver's error when PostgreSQL does not answer. */
export async function openPostgresClient(url: string, options: ClientConfig = {}): Promise<Client> {
  const { Client: PgClient } = await import("pg");
  const client = new PgClient({ ...options, connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  // A broken connection fails its queries, and "end" follows; without a listener it would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (error) {
    await endPostgresClient(client);
    throw error;
  }
  return client;
}

/** Closes a connection, even when its server does not answer; a running query fails. */
export async function endPostgresClient(client: Client | undefined): Promise<void> {
  if (client === undefined) return;
  await Promise.race([client.end().catch(() => {}), Bun.sleep(closeMaxMs)]);
}
