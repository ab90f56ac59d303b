/** The part of a client's socket that accepts bytes. */
type WritableSocket = {
  /** Writes what the client accepts and returns its number of bytes; negative when the client has disconnected. */
  write(bytes: Buffer, offset?: number, length?: number): number;
  /** Closes it at once. */
  terminate(): unknown;
};

/** Heads of up to this size are assembled in the shared buffer: all except those with the longest URLs. */
const sharedBufferBytes = 4 * 1024;

/**
 * The head that is being sent. Sending concatenated strings took two allocations per answer, and the runtime searched
 * them for characters beyond ASCII: 3 to 6 % of a redirect.
 */
const sharedBuffer = Buffer.alloc(sharedBufferBytes);

/** Writes two ASCII texts one after the other; returns the bytes the client has not accepted, undefined for none. */
export function writeTexts(client: WritableSocket, first: string, second: string): Buffer | undefined {
  const length = first.length + second.length;
  if (length > sharedBufferBytes) return writeBytes(client, Buffer.from(first + second, "latin1"));
  sharedBuffer.write(first, 0, "latin1");
  sharedBuffer.write(second, first.length, "latin1");
  const rest = writeBytes(client, sharedBuffer, length);
  // Copied: the next answer overwrites the shared buffer.
  return rest && Buffer.from(rest);
}

/** Writes the first `length` bytes; returns those the client has not accepted, undefined for none. */
export function writeBytes(client: WritableSocket, bytes: Buffer, length = bytes.length): Buffer | undefined {
  const written = writeSome(client, bytes, length);
  return written < length ? bytes.subarray(written, length) : undefined;
}

/**
 * Writes as many of the first `length` bytes as the client accepts and returns their number; all of them when the
 * client has disconnected. Such a client is closed here, since the runtime reports no close of a paused socket after a
 * failed write.
 */
export function writeSome(client: WritableSocket, bytes: Buffer, length = bytes.length): number {
  const written = client.write(bytes, 0, length);
  if (written >= 0) return written;
  client.terminate();
  return length;
}
