import { readGrowingFile } from "../base/growing-file.ts";
import type { ClickExport, ExportToFile, RunningExport } from "./export.ts";

/**
 * Streams an export from the file that a store writes, while it grows: only the file's path crosses the boundary of the
 * store's process. The file is removed when the stream ends for any reason, or when `signal` is aborted.
 * Throws what `exportToFile` throws.
 */
export async function streamExport(
  exportToFile: ExportToFile,
  request: ClickExport,
  signal: AbortSignal,
): Promise<RunningExport> {
  const releasing = new AbortController();
  const release = () => releasing.abort(new Error("The export has ended."));
  try {
    const { clicks, length, path } = await exportToFile(request, AbortSignal.any([signal, releasing.signal]));
    // A failure of the store while the file is opened fails the stream.
    length.catch(() => {});
    const stream = await readGrowingFile(path, { ended: length, signal, onEnd: release });
    return { clicks, length, stream };
  } catch (error) {
    release();
    throw error;
  }
}
