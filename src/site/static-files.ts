import { chooseEncoding } from "../api/http/compression.ts";
import { matchesTag, readTags } from "../api/http/entity-tag.ts";
import { FixedBytes } from "../api/http/fixed-bytes.ts";

/** A file of the app's host; its content changes only with its tag. */
export type StaticFile = { read(): Promise<Uint8Array>; type: string; tag: string; cacheControl: string };

/** For files whose URL changes with their content. */
export const cacheForever = "public, max-age=31536000, immutable";

/**
 * A cache of files, each read and compressed on its first request. Bounded by the caller's number of files, per
 * encoding.
 */
export function staticFiles() {
  const cached = new Map<string, Promise<FixedBytes>>();

  async function bytesOf(name: string, file: StaticFile) {
    const key = `${name} ${file.tag}`;
    let bytes = cached.get(key);
    if (bytes === undefined) {
      bytes = file.read().then((plain) => new FixedBytes(new Uint8Array(plain)));
      cached.set(key, bytes);
      // The next request retries a file that could not be read.
      bytes.catch(() => cached.delete(key));
    }
    return await bytes;
  }

  return {
    /** The file in an encoding that the client accepts, or 304 when the client's copy is current. */
    async answer(name: string, file: StaticFile, { headers: asked }: Request): Promise<Response> {
      const bytes = await bytesOf(name, file);
      const encoding = chooseEncoding(asked.get("accept-encoding"), bytes.plain.byteLength);
      const headers = {
        "Content-Type": file.type,
        "Cache-Control": file.cacheControl,
        Vary: "Accept-Encoding",
        "X-Content-Type-Options": "nosniff",
        ETag: `"${file.tag}${encoding === undefined ? "" : `-${encoding}`}"`,
        ...(encoding === undefined ? {} : { "Content-Encoding": encoding }),
      };
      const known = asked.get("if-none-match");
      if (known !== null && isCurrent(known, file.tag)) return new Response(null, { status: 304, headers });
      return new Response(encoding === undefined ? bytes.plain : await bytes.compressed(encoding), { headers });
    },
  };
}

/** An invalid header counts as absent: every client can use the whole file. */
function isCurrent(header: string, tag: string): boolean {
  try {
    return matchesTag(readTags("If-None-Match", header), tag);
  } catch {
    return false;
  }
}
