import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { createTables } from "./facts.ts";
import { Intake } from "./intake.ts";
import type { ShelfBounds } from "./shelves.ts";

/** Beyond this DuckDB spills to the folder beside the file. */
const memoryMax = "1GB";

/** An open file, and what works on it. At most one of a file is open at any time. */
export type Engine = {
  writer: DuckDBConnection;
  reader: DuckDBConnection;
  intake: Intake;
  /** One more connection, which is closed before this is. */
  connect(): Promise<DuckDBConnection>;
  /** Waits for facts being moved, and closes. No other work may be under way: DuckDB ends the process otherwise. */
  close(): Promise<void>;
};

/** Opens the file, made when absent, with all its tables. */
export async function openEngine(path: string, threads: number, bounds: ShelfBounds): Promise<Engine> {
  const instance = await DuckDBInstance.create(path, { threads: String(threads), memory_limit: memoryMax });
  try {
    const writer = await instance.connect();
    for (const sql of createTables) await writer.run(sql);
    const reader = await instance.connect();
    const settler = await instance.connect();
    const intake = await Intake.open(writer, settler, bounds);
    return {
      writer,
      reader,
      intake,
      connect: () => instance.connect(),
      async close() {
        await intake.end();
        try {
          for (const connection of [reader, settler, writer]) connection.closeSync();
        } finally {
          // Closing the instance writes the checkpoint, so that the next start has no log to replay.
          instance.closeSync();
        }
      },
    };
  } catch (error) {
    // One that stayed open after a failure would be a second one beside the next try's.
    instance.closeSync();
    throw error;
  }
}
