import { existsSync, rmSync } from "node:fs";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { attach } from "./attach.ts";
import type { LevelBounds } from "./compact.ts";
import { readersMax } from "./connection-pool.ts";
import { prepareSchema } from "./migrations.ts";
import { newFileOf, removeNewFile, replaceWithNewFile } from "./new-file.ts";
import { Writer } from "./writer.ts";

/** The database name of the file. The engine's main database is in memory and stays empty. */
const databaseName = "store";

/** An open file and its connections. A file is open in at most one engine at a time. */
export type Engine = {
  /** A random id from the creation of the file. */
  storeId: string;
  writeConnection: DuckDBConnection;
  /** The connections that ConnectionPool hands out. */
  readers: readonly DuckDBConnection[];
  writer: Writer;
  /** Opens one more connection. The caller closes it before the engine. */
  connect(): Promise<DuckDBConnection>;
  /**
   * Waits for a compaction and closes. No other work may be running, or DuckDB crashes the process. When close throws,
   * the file stays open until the process ends, because closing an engine that could not write its checkpoint may
   * remove a log with commits.
   */
  close(): Promise<void>;
};

/** The path of the file, the threads per query, DuckDB's memory limit, and the size of levels. */
type EngineOptions = { path: string; threads: number; memoryMax: string; levelBounds: LevelBounds };

/** Opens the file with all its tables, created when absent. Removes a new file that a crash has left incomplete. */
export async function openEngine({ path, threads, memoryMax, levelBounds }: EngineOptions): Promise<Engine> {
  removeNewFile(path);
  // Only an attached file can have a row group size.
  const instance = await DuckDBInstance.create(":memory:", {
    threads: String(threads),
    memory_limit: memoryMax,
    // Otherwise jemalloc returns freed pages only when a thread allocates. Gain: 75 MiB at the peak of exports during
    // reports.
    allocator_background_threads: "true",
    temp_directory: `${path}.tmp`,
    // Otherwise an export collects whole batches to keep an order that it does not promise.
    preserve_insertion_order: "false",
  });
  const connect = async () => {
    const connection = await instance.connect();
    await connection.run(`USE "${databaseName}"`);
    return connection;
  };
  try {
    const opener = await instance.connect();
    if (!existsSync(path)) await createFile(opener, path);
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
        // So that the next start need not replay the log.
        await writeConnection.run("CHECKPOINT");
        for (const connection of [...readers, compactionConnection, writeConnection]) connection.closeSync();
        instance.closeSync();
      },
    };
  } catch (error) {
    // An engine left open would be a second one beside the next attempt's.
    instance.closeSync();
    throw error;
  }
}

/** Creates a file without tables. */
async function createFile(connection: DuckDBConnection, path: string): Promise<void> {
  await attach(connection, newFileOf(path), "created");
  // Writes and syncs the file.
  await connection.run("DETACH created");
  // The log of a deleted file does not fit another one.
  rmSync(`${path}.wal`, { force: true });
  replaceWithNewFile(path);
}

/** True for an error after which DuckDB refuses everything until the file is opened again. */
export function isEngineInvalid(error: unknown): boolean {
  return error instanceof Error && /FATAL Error|database has been invalidated/.test(error.message);
}

/** True for a statement that DuckDB ended since it needed more than its memory limit. DuckDB stays usable. */
export function isMemoryLimit(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Out of Memory Error");
}
