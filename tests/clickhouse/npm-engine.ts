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
/** Connections that are kept between statements. */
const idleMax = 64;

/** Opens the engine of the npm package @chdb/lib-linux-x64-gnu. */
export async function openNpmEngine(folder: string): Promise<Engine> {
  const library: Library = createRequire(import.meta.url)("@chdb/lib-linux-x64-gnu");
  // Kept open, because the engine ends with its last connection.
  const base = library.CreateConnection(folder);
  await library.QueryAsyncConnection(base, "CREATE DATABASE IF NOT EXISTS default ENGINE = Atomic", "TSV");
  const waiting: (() => void)[] = [];
  let running = 0;
  // A connection has a database and settings, which take three times as long to set as a short query. So it is kept for
  // statements with the same ones.
  const idle: { preamble: string; connection: unknown }[] = [];
  const connect = async (preamble: string) => {
    const index = idle.findIndex((one) => one.preamble === preamble);
    const [kept] = index === -1 ? [] : idle.splice(index, 1);
    if (kept !== undefined) return kept.connection;
    const connection = library.CreateConnection(folder);
    try {
      await library.QueryAsyncConnection(connection, preamble, "TabSeparated");
    } catch (error) {
      library.CloseConnection(connection);
      throw error;
    }
    return connection;
  };
  return {
    async run(statement) {
      if (running === statementsMax) await new Promise<void>((resolve) => waiting.push(resolve));
      running++;
      const before = preamble(statement);
      try {
        const connection = await connect(before);
        const query = library.QueryAsyncConnection(connection, statement.sql, "TabSeparated", statement.parameters);
        const { bytes } = await query.finally(() => idle.push({ preamble: before, connection }));
        return bytes;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        throw new Error(message.replace(/^Query failed: /, ""), { cause: error });
      } finally {
        if (idle.length > idleMax) library.CloseConnection(idle.shift()?.connection);
        running--;
        waiting.shift()?.();
      }
    },
  };
}
