/** A client's socket, as far as it takes bytes. */
type WritableSocket = {
  /** Takes what it can, and returns how many bytes that was; a negative number once the client is gone. */
  write(bytes: Buffer, offset?: number, length?: number): number;
  /** Closes it at once. */
  terminate(): unknown;
};

/** Bytes of a head that is put together in the shared room: all but those with the longest addresses. */
const sharedBufferBytes = 4 * 1024;

/**
 * The bytes of the head that is being sent. Texts that are put together and sent as a text took two pieces of memory for
 * each answer, and the runtime looked through them for characters beyond ASCII: 3 to 6 % of all that a redirect takes.
 */
const sharedBuffer = Buffer.alloc(sharedBufferBytes);

/** Writes two texts of ASCII, one behind the other; returns what the client has not taken, undefined for nothing. */
export function writeTexts(client: WritableSocket, first: string, second: string): Buffer | undefined {
  const length = first.length + second.length;
  if (length > sharedBufferBytes) return writeBytes(client, Buffer.from(first + second, "latin1"));
  sharedBuffer.write(first, 0, "latin1");
  sharedBuffer.write(second, first.length, "latin1");
  const rest = writeBytes(client, sharedBuffer, length);
  // In memory of its own: the next answer is written over it.
  return rest && Buffer.from(rest);
}

/** Writes the first `length` of the bytes; returns those of them the client has not taken, undefined for none. */
export function writeBytes(client: WritableSocket, bytes: Buffer, length = bytes.length): Buffer | undefined {
  const written = writeSome(client, bytes, length);
  return written < length ? bytes.subarray(written, length) : undefined;
}

/**
 * Writes as much of the first `length` bytes as the client takes; returns how many bytes are done with: all of them once
 * the client is gone. Such a client is closed here, since the runtime reports no close of a paused socket when a write
 * has already failed.
 */
export function writeSome(client: WritableSocket, bytes: Buffer, length = bytes.length): number {
  const written = client.write(bytes, 0, length);
  if (written >= 0) return written;
  client.terminate();
  return length;
}
