import { Problem } from "../base/problem.ts";

const nestingMax = 32;
const queryParametersMax = 200;

/**
 * Reads a JSON body of at most `bytesMax`.
 * Throws "unsupported_media_type" for another content type, "payload_too_large" beyond the bound,
 * "bad_request" for what is no JSON or was aborted, "unprocessable_entity" for texts no store can hold and for absurd nesting.
 */
export async function readJson(request: Request, bytesMax: number): Promise<unknown> {
  requireJson(request);
  const bytes = await readBounded(request, bytesMax);
  if (bytes.byteLength === 0) throw new Problem("bad_request", "The body is missing; send a JSON object, such as {}.");
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new Problem("bad_request", "The body is no valid JSON in UTF-8.", { cause: error });
  }
  requireStorable(value, "body");
  return value;
}

function requireJson({ headers }: Request): void {
  const contentType = headers.get("content-type") ?? "";
  const isJson = /^application\/json\s*(;|$)/i.test(contentType);
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType)?.[1] ?? "utf-8";
  if (!isJson || !/^utf-?8$/i.test(charset)) {
    throw new Problem(
      "unsupported_media_type",
      "Send the body as JSON in UTF-8, with the header Content-Type: application/json.",
    );
  }
  if (!/^(identity)?$/i.test(headers.get("content-encoding")?.trim() ?? "")) {
    throw new Problem("unsupported_media_type", "Send the body as it is, without Content-Encoding.");
  }
}

async function readBounded(request: Request, bytesMax: number): Promise<Uint8Array> {
  const tooLarge = new Problem("payload_too_large", `The body may have at most ${bytesMax} bytes.`);
  const length = request.headers.get("content-length");
  if (Number(length ?? 0) > bytesMax) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let read = 0;
  try {
    // A body that says its length has no more bytes than that, and reading it at once is several times as fast.
    if (length !== null) return new Uint8Array(await request.arrayBuffer());
    for await (const chunk of request.body ?? []) {
      read += chunk.byteLength;
      if (read > bytesMax) throw tooLarge;
      chunks.push(chunk);
    }
  } catch (error) {
    if (error === tooLarge) throw error;
    // Reading fails only with the connection: the client has gone, which is no fault of ours.
    throw new Problem("bad_request", "The body ended before its end.", { cause: error });
  }
  return Buffer.concat(chunks, read);
}

/** The parameters of a query as an object; one given several times becomes an array. Throws for texts no store can hold. */
export function readQuery(text: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  let count = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    if (++count > queryParametersMax) {
      throw new Problem("unprocessable_entity", `The query may have at most ${queryParametersMax} parameters.`);
    }
    const before = Object.hasOwn(query, name) ? query[name] : undefined;
    query[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  requireStorable(query, "query");
  return query;
}

/**
 * Refuses NUL, which PostgreSQL cannot store, lone surrogates, which UTF-8 cannot express, and nesting nobody means,
 * anywhere in a value; keys included. Walks without recursion, so that no body exhausts the stack.
 */
export function requireStorable(value: unknown, where: string): void {
  const pending = [{ value, where, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next.value === "string") requireStorableText(next.value, next.where);
    if (typeof next.value !== "object" || next.value === null) continue;
    if (next.depth >= nestingMax) {
      throw new Problem("unprocessable_entity", `${where}: values may be nested at most ${nestingMax} deep.`);
    }
    for (const [name, child] of Object.entries(next.value)) {
      requireStorableText(name, next.where);
      pending.push({ value: child, where: name, depth: next.depth + 1 });
    }
  }
}

function requireStorableText(text: string, where: string): void {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw new Problem("unprocessable_entity", `${where}: text may not hold NUL characters or half a surrogate pair.`);
  }
}
