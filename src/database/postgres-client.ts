/** Single connections to PostgreSQL, beside the pool of base/postgres-pool.ts. */
import type { Client, ClientConfig } from "pg";
import { secondMs } from "../base/time.ts";

/** Timeout of connecting. */
const connectTimeoutMs = 5 * secondMs;
/** Timeout of closing a connection. */
const closeMaxMs = secondMs;

/** An open connection to the database at `url`. Throws the driver's error when PostgreSQL does not answer. */
export async function openPostgresClient(url: string, options: ClientConfig = {}): Promise<Client> {
  // The driver is loaded only when PostgreSQL is used.
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
