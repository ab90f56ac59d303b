import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { attach } from "./attach.ts";
import type { LevelBounds } from "./compact.ts";
import { readersMax } from "./connection-pool.ts";
import { prepareSchema } from "./migrations.ts";
import { Writer } from "./writer.ts";

/** The file's name among the databases of its engine, of which it is the only one with anything in it. */
const databaseName = "store";

/** An open file, and what works on it. At most one of a file is open at any time. */
export type Engine = {
  /** Made at random with the file. */
  storeId: string;
  writeConnection: DuckDBConnection;
  /** As many as ConnectionPool hands out. */
  readers: readonly DuckDBConnection[];
  writer: Writer;
  /** One more connection, which is closed before this is. */
  connect(): Promise<DuckDBConnection>;
  /**
   * Waits for facts being moved, and closes. No other work may be under way: DuckDB ends the process otherwise. When it
   * throws, the file is still open, and stays so until the process ends: closing what could not write its checkpoint may
   * remove a log that holds commits.
   */
  close(): Promise<void>;
};

/** Where the file lies, threads of one query, memory as DuckDB writes it, and how full levels become. */
export type EngineOptions = { path: string; threads: number; memoryMax: string; levelBounds: LevelBounds };

/** Opens the file, made when absent, with all its tables. */
export async function openEngine({ path, threads, memoryMax, levelBounds }: EngineOptions): Promise<Engine> {
  // Only a file that is attached can be told how large its row groups are.
  const instance = await DuckDBInstance.create(":memory:", {
    threads: String(threads),
    memory_limit: memoryMax,
    temp_directory: `${path}.tmp`,
    // Otherwise an export gathers whole batches of rows to write them in their order, which it does not promise.
    preserve_insertion_order: "false",
  });
  const connect = async () => {
    const connection = await instance.connect();
    await connection.run(`USE "${databaseName}"`);
    return connection;
  };
  try {
    const opener = await instance.connect();
    await attach(opener, path, databaseName);
    opener.closeSync();
    const writeConnection = await connect();
    const storeId = await prepareSchema(writeConnection);
    const readers: DuckDBConnection[] = [];
    while (readers.length < readersMax) readers.push(await connect());
    const compactionConnection = await connect();
    const writer = await Writer.open(writeConnection, compactionConnection, levelBounds);
    return {
      storeId,
      writeConnection,
      readers,
      writer,
      connect,
      async close() {
        await writer.end();
        // So that the next start has no log to replay.
        await writeConnection.run("CHECKPOINT");
        for (const connection of [...readers, compactionConnection, writeConnection]) connection.closeSync();
        instance.closeSync();
      },
    };
  } catch (error) {
    // One that stayed open after a failure would be a second one beside the next try's.
    instance.closeSync();
    throw error;
  }
}

/** True for a failure after which DuckDB answers nothing until its file is opened again. */
export function isEngineInvalid(error: unknown): boolean {
  return error instanceof Error && /FATAL Error|database has been invalidated/.test(error.message);
}
