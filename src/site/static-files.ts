import { chooseEncoding, compress, type Encoding } from "../api/http/compression.ts";
import { matchesTag, readTags } from "../api/http/entity-tag.ts";

/** A file that the app's host answers with: its content does not change while its tag is the same. */
export type StaticFile = { read(): Promise<Uint8Array>; type: string; tag: string; cacheControl: string };

/** For files whose address changes with their content. */
export const cacheForever = "public, max-age=31536000, immutable";

/** Files answered with, each read and packed once, by whoever asks first. At most as many as the caller has, in each encoding. */
export function staticFiles() {
  const cached = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  async function bytesOf(name: string, file: StaticFile, encoding: Encoding | undefined) {
    const key = `${name} ${file.tag} ${encoding ?? "identity"}`;
    let bytes = cached.get(key);
    if (bytes === undefined) {
      bytes = file.read().then((plain) => (encoding === undefined ? new Uint8Array(plain) : compress(plain, encoding)));
      cached.set(key, bytes);
      // A file that could not be read is tried again for the next visitor.
      bytes.catch(() => cached.delete(key));
    }
    return await bytes;
  }

  return {
    /** The file, packed as the client likes it, or word that the client's own copy holds. */
    async answer(name: string, file: StaticFile, { headers: asked }: Request): Promise<Response> {
      const bytes = await bytesOf(name, file, undefined);
      const encoding = chooseEncoding(asked.get("accept-encoding"), bytes.byteLength);
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
      return new Response(await bytesOf(name, file, encoding), { headers });
    },
  };
}

/** A header that cannot be read is one not sent: a file in full suits everybody. */
function isCurrent(header: string, tag: string): boolean {
  try {
    return matchesTag(readTags("If-None-Match", header), tag);
  } catch {
    return false;
  }
}
