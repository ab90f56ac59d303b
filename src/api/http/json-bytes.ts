import { mapInSlices, yieldIfSliceSpent } from "../../base/time-slices.ts";

const encoder = new TextEncoder();
const comma = encoder.encode(",");
/** Bytes hashed between two ticks of the event loop; less than a millisecond. */
const hashedBytesMax = 1024 * 1024;

/** Returns a value as JSON in UTF-8. Serializes a list element by element and yields to the event loop in between. */
export async function jsonBytes(value: unknown): Promise<Uint8Array<ArrayBuffer>> {
  if (!Array.isArray(value) || value.length === 0) return encoder.encode(JSON.stringify(value));
  const parts = await mapInSlices(value, (element) => [comma, encoder.encode(JSON.stringify(element ?? null))]);
  const [, ...elements] = parts.flat();
  return new Uint8Array(Buffer.concat([encoder.encode("["), ...elements, encoder.encode("]")]));
}

/** Returns the SHA-256 of bytes; yields to the event loop in between. */
export async function sha256InSlices(bytes: Uint8Array): Promise<Buffer> {
  const hasher = new Bun.CryptoHasher("sha256");
  for (let start = 0; start < bytes.length; start += hashedBytesMax) {
    hasher.update(bytes.subarray(start, start + hashedBytesMax));
    await yieldIfSliceSpent();
  }
  return hasher.digest();
}
