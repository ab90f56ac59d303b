import { appendFile, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { ClickExport } from "../../export.ts";
import { compileExportPart, compileParquetExport, type ExportPart } from "./compile-export.ts";

/** The size of a chunk that is copied from a part. */
const copiedBytesMax = 1024 * 1024;

/** The file of an export, in a folder that it shares only with its parts. */
export type ExportPlace = { folder: string; path: string };

/**
 * Writes an export part by part, so that its memory is bounded; see compile-export.ts. All parts read the snapshot of
 * the connection's transaction.
 *
 * 1. The only part is written to the file itself.
 * 2. CSV and JSON Lines: each part is appended to the file, so that a reader gets it while the next one is written.
 * 3. Parquet: the file is written from the parts in the end, because it ends with an index of all its rows. The parts
 *    take as much space again until then.
 *
 * Throws when `signal` is aborted.
 */
export async function writeExport(
  connection: DuckDBConnection,
  { request, parts, place }: { request: ClickExport; parts: readonly ExportPart[]; place: ExportPlace },
  signal: AbortSignal,
): Promise<void> {
  const partPaths: string[] = [];
  for (const [index, part] of parts.entries()) {
    signal.throwIfAborted();
    const path = parts.length === 1 ? place.path : join(place.folder, `part-${index}.${request.format}`);
    const { sql, parameters } = compileExportPart(request, part, { path, hasHeader: index === 0 });
    await connection.run(sql, parameters);
    if (path === place.path) return;
    if (request.format === "parquet") partPaths.push(path);
    else await moveBytes(path, place.path);
  }
  signal.throwIfAborted();
  if (partPaths.length === 0) return;
  await connection.run(compileParquetExport(partPaths, place.path).sql);
  for (const path of partPaths) await rm(path);
}

/** Appends the bytes of one file to another, and removes the first. */
async function moveBytes(from: string, to: string): Promise<void> {
  const buffer = Buffer.allocUnsafe(copiedBytesMax);
  const source = await open(from, "r");
  try {
    for (;;) {
      const { bytesRead } = await source.read(buffer, 0, copiedBytesMax);
      if (bytesRead === 0) break;
      await appendFile(to, buffer.subarray(0, bytesRead));
    }
  } finally {
    await source.close();
  }
  await rm(from);
}
