import { yieldIfSliceSpent } from "../../base/time-slices.ts";

const encoder = new TextEncoder();
/** Characters of JSON that are encoded at once: encoding each element would make 5,000 small arrays of 5,000 links. */
const encodedCharactersMin = 64 * 1024;
/** Bytes hashed between two ticks of the event loop; less than a millisecond. */
const hashedBytesMax = 1024 * 1024;

/** Returns a value as JSON in UTF-8. Serializes a list element by element and yields to the event loop in between. */
export async function jsonBytes(value: unknown): Promise<Uint8Array<ArrayBuffer>> {
  if (!Array.isArray(value) || value.length === 0) return encoder.encode(JSON.stringify(value));
  const parts: Uint8Array[] = [];
  let text = "";
  let separator = "[";
  for (const element of value) {
    await yieldIfSliceSpent();
    text += separator + JSON.stringify(element ?? null);
    separator = ",";
    if (text.length < encodedCharactersMin) continue;
    parts.push(encoder.encode(text));
    text = "";
  }
  parts.push(encoder.encode(`${text}]`));
  return Buffer.concat(parts);
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
