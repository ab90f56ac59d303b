import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { pipeline, Readable, Transform } from "node:stream";
import { constants, createZstdCompress } from "node:zlib";
import { createTarPacker, type TarPackController } from "modern-tar";
import { type Manifest, manifestName, sumsName, trailerOf } from "./archive-format.ts";

/** Bytes of one read. */
const chunkBytesMax = 256 * 1024;
/** A third of the time of level 6 for a few percent of the size. */
const compressionLevel = 3;
const fileMode = 0o600;

/**
 * Returns the bytes of the archive of the files in `folder`; `onRead` receives the bytes of each read. Fails when a
 * file is shorter than the manifest says. Memory: some chunks, whatever the sizes of the files.
 */
export function archiveOf(folder: string, manifest: Manifest, onRead: (bytes: number) => void): Readable {
  const compress = createZstdCompress({
    params: { [constants.ZSTD_c_compressionLevel]: compressionLevel, [constants.ZSTD_c_checksumFlag]: 1 },
  });
  // The callback has nothing to do: the last stream fails with the first error.
  return pipeline(Readable.from(tarOf(folder, manifest, onRead)), compress, trailerWriter(), () => {});
}

async function* tarOf(folder: string, manifest: Manifest, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const added = addEntries(controller, folder, manifest, onRead).catch((error: unknown) => {
    controller.error(error);
    throw error;
  });
  // Its failure also fails the stream.
  added.catch(() => {});
  for await (const chunk of readable) yield chunk;
  await added;
}

async function addEntries(
  tar: TarPackController,
  folder: string,
  manifest: Manifest,
  onRead: (bytes: number) => void,
): Promise<void> {
  const mtime = new Date(manifest.createdAt);
  const sums: string[] = [];
  const add = async (name: string, size: number, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) => {
    const hash = createHash("sha256");
    const writer = tar.add({ name, size, mode: fileMode, mtime }).getWriter();
    for await (const chunk of chunks) {
      hash.update(chunk);
      await writer.write(chunk);
    }
    await writer.close();
    sums.push(`${hash.digest("hex")}  ${name}\n`);
  };
  const text = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
  await add(manifestName, text.length, [text]);
  for (const { name, bytes } of manifest.files) await add(name, bytes, readExactly(join(folder, name), bytes, onRead));
  const list = Buffer.from(sums.join(""));
  await add(sumsName, list.length, [list]);
  tar.finalize();
}

/** The first `bytes` bytes of a file, which may grow. */
async function* readExactly(path: string, bytes: number, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const file = await open(path, "r");
  try {
    for (let done = 0; done < bytes; ) {
      const buffer = Buffer.allocUnsafe(Math.min(chunkBytesMax, bytes - done));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, done);
      if (bytesRead === 0) throw new Error(`${path} has ${done} bytes instead of ${bytes}.`);
      done += bytesRead;
      onRead(bytesRead);
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

function trailerWriter(): Transform {
  const hash = createHash("sha256");
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
    flush(done) {
      done(null, trailerOf(hash.digest()));
    },
  });
}
