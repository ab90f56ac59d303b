/** Saves a response to the person's disk, as a stream where the browser supports it. */

/** The file picker of Chrome and Edge on HTTPS pages, which can write a file in pieces. */
type FilePicker = {
  showSaveFilePicker(options: { suggestedName: string }): Promise<{
    name: string;
    createWritable(): Promise<WritableStream<Uint8Array>>;
  }>;
};

/** The target of a file. `write` resolves when the file is complete, and throws when the stream fails. */
type SaveTarget = {
  name: string;
  write(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void>;
};

/** True when files are written while they arrive; otherwise they are kept in memory until complete. */
export function canStream(): boolean {
  return isFilePicker(window);
}

/** Asks for the target; undefined when the person cancels. Call it in a click handler. */
export async function pickSaveTarget(name: string): Promise<SaveTarget | undefined> {
  if (!isFilePicker(window)) return memoryTarget(name);
  try {
    const file = await window.showSaveFilePicker({ suggestedName: name });
    return {
      name: file.name,
      // A failed pipe aborts the file, and nothing is kept.
      write: async (body, signal) => await body.pipeTo(await file.createWritable(), { signal }),
    };
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return undefined;
    throw error;
  }
}

const shownMs = 60_000;

function memoryTarget(name: string): SaveTarget {
  return {
    name,
    async write(body, signal) {
      const parts: Uint8Array<ArrayBuffer>[] = [];
      const keep = new WritableStream<Uint8Array>({
        write(part) {
          parts.push(new Uint8Array(part));
        },
      });
      await body.pipeTo(keep, { signal });
      const url = URL.createObjectURL(new Blob(parts));
      const link = document.createElement("a");
      link.href = url;
      link.download = name;
      link.click();
      // The browser reads the URL after the click.
      setTimeout(() => URL.revokeObjectURL(url), shownMs);
    },
  };
}

function isFilePicker(scope: object): scope is FilePicker {
  return "showSaveFilePicker" in scope && typeof scope.showSaveFilePicker === "function";
}

/** Passes bytes through and reports their number. */
export function withProgress(
  body: ReadableStream<Uint8Array>,
  onBytes: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  let bytes = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        bytes += part.byteLength;
        onBytes(bytes);
        controller.enqueue(part);
      },
    }),
  );
}

const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
const unitSize = 1_000;

/** Formats a size, such as 12.3 MB. */
export function sizeText(bytes: number, language: string): string {
  const rank = bytes < unitSize ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const unit = units[rank] ?? "byte";
  const format = new Intl.NumberFormat(language, { style: "unit", unit, maximumFractionDigits: rank === 0 ? 0 : 1 });
  return format.format(bytes / unitSize ** rank);
}
