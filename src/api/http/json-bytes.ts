import { mapInSlices, yieldIfSliceSpent } from "../../base/time-slices.ts";

const encoder = new TextEncoder();
const comma = encoder.encode(",");
/** Bytes that are hashed between two turns of the event loop; takes less than a millisecond. */
const hashedBytesMax = 1024 * 1024;

/** A value as JSON in UTF-8. A list is written element by element, and the event loop turns in between. */
export async function jsonBytes(value: unknown): Promise<Uint8Array<ArrayBuffer>> {
  if (!Array.isArray(value) || value.length === 0) return encoder.encode(JSON.stringify(value));
  const parts = await mapInSlices(value, (element) => [comma, encoder.encode(JSON.stringify(element ?? null))]);
  const [, ...elements] = parts.flat();
  return new Uint8Array(Buffer.concat([encoder.encode("["), ...elements, encoder.encode("]")]));
}

/** The SHA-256 of bytes; the event loop turns in between. */
export async function sha256InSlices(bytes: Uint8Array): Promise<Buffer> {
  const hasher = new Bun.CryptoHasher("sha256");
  for (let start = 0; start < bytes.length; start += hashedBytesMax) {
    hasher.update(bytes.subarray(start, start + hashedBytesMax));
    await yieldIfSliceSpent();
  }
  return hasher.digest();
}
