import { Database as SqliteFile } from "bun:sqlite";
import { join } from "node:path";
import type { TestService } from "./server.ts";

/** One pixel. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Stores an icon of an origin in the first workspace, as if it had been fetched. */
export function storeDestinationIcon(server: TestService, origin: string): void {
  const file = new SqliteFile(join(server.data, "waypost.sqlite"));
  try {
    file.run("PRAGMA busy_timeout = 5000");
    file.run(`insert into "destinationIcons" values (1, ?, 'image/png', ?, ?)`, [origin, png, Date.now()]);
  } finally {
    file.close();
  }
}
