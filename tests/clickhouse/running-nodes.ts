import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestPostgres } from "../support/postgres.ts";
import { type Environment, programCommand, startOn, type TestServer } from "../support/server.ts";
import { createPostgresDatabase } from "../support/templates.ts";
import type { TestClickHouse } from "./clickhouse.ts";

const secret = "a-secret-of-all-nodes-with-32-characters";

/** Nodes that share a database, and their folders. */
export class Nodes {
  readonly environment: Environment;
  readonly #servers: TestServer[] = [];

  constructor(environment: Environment) {
    this.environment = environment;
  }

  async start(data = mkdtempSync(join(tmpdir(), "waypost-node-")), environment: Environment = {}): Promise<TestServer> {
    const server = await startOn(data, programCommand("serve"), { ...this.environment, ...environment });
    this.#servers.push(server);
    return server;
  }

  async remove(): Promise<void> {
    for (const server of this.#servers) await server.remove();
  }
}

/** Runs `use` with nodes on a new database of both engines, and removes what it started. */
export async function withNodesOn(
  { postgres, clickHouse }: { postgres: TestPostgres; clickHouse: TestClickHouse },
  use: (nodes: Nodes) => Promise<void>,
): Promise<void> {
  const [databaseUrl, clicksUrl] = await Promise.all([createPostgresDatabase(postgres), clickHouse.createDatabase()]);
  const nodes = new Nodes({
    ...{ WAYPOST_DATABASE_URL: databaseUrl, WAYPOST_CLICKS_URL: clicksUrl, WAYPOST_CLICKS_INTERVAL_MS: "250" },
    WAYPOST_SECRET: secret,
  });
  try {
    await use(nodes);
  } finally {
    await nodes.remove();
    await clickHouse.dropDatabase(clicksUrl);
  }
}
