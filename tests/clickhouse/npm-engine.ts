import { createRequire } from "node:module";
import { type Engine, preamble } from "./statement.ts";

/** What is used of the library. Parameters are texts, as in a URL. */
type Library = {
  CreateConnection(folder: string): unknown;
  CloseConnection(connection: unknown): void;
  QueryAsyncConnection(
    connection: unknown,
    sql: string,
    format: string,
    parameters?: Readonly<Record<string, string>>,
  ): Promise<{ bytes: Buffer<ArrayBuffer> }>;
};

/** Statements that run at once; more wait. */
const statementsMax = 16;

/** Opens the engine of the npm package @chdb/lib-linux-x64-gnu. */
export async function openNpmEngine(folder: string): Promise<Engine> {
  const library: Library = createRequire(import.meta.url)("@chdb/lib-linux-x64-gnu");
  // Kept open, because the engine ends with its last connection.
  const base = library.CreateConnection(folder);
  await library.QueryAsyncConnection(base, "CREATE DATABASE IF NOT EXISTS default ENGINE = Atomic", "TSV");
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async run(statement) {
      if (running === statementsMax) await new Promise<void>((resolve) => waiting.push(resolve));
      running++;
      // A separate connection, so that settings and parameters do not reach another statement.
      const connection = library.CreateConnection(folder);
      try {
        const sql = preamble(statement) + statement.sql;
        return (await library.QueryAsyncConnection(connection, sql, "TabSeparated", statement.parameters)).bytes;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        throw new Error(message.replace(/^Query failed: /, ""), { cause: error });
      } finally {
        library.CloseConnection(connection);
        running--;
        waiting.shift()?.();
      }
    },
  };
}
