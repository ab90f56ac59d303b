import { join } from "node:path";
import { connect, type Database } from "../../src/database/database.ts";
import type { TestService } from "./server.ts";

/** Runs the work on a second connection to a server's relational database, of either engine. */
export async function withDatabase<Result>(
  { data, environment }: Pick<TestService, "data" | "environment">,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const url = environment["WAYPOST_DATABASE_URL"];
  const location =
    url === undefined
      ? ({ kind: "sqlite", path: join(data, "waypost.sqlite") } as const)
      : ({ kind: "postgres", url } as const);
  const database = connect(location, "lossy");
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
