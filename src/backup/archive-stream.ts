import { webStreamOf } from "../base/web-stream.ts";
import type { Manifest } from "./archive-format.ts";
import { type Encryption, encrypt } from "./encryption.ts";
import { archiveOf } from "./write-archive.ts";

type ArchiveOptions = { encryption: Encryption; onRead(bytes: number): void };

/** Returns the bytes of a backup of the files in `folder`, compressed and, on request, encrypted. */
export async function archiveStream(
  folder: string,
  manifest: Manifest,
  { encryption, onRead }: ArchiveOptions,
): Promise<ReadableStream<Uint8Array>> {
  return await encrypt(webStreamOf(archiveOf(folder, manifest, onRead)), encryption);
}
