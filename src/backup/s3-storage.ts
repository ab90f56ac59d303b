/**
 * Backups in a bucket of an S3 server.
 *
 * 1. Bun's client signs the requests, sends a large file in parts and repeats failed parts. Its memory is a few parts,
 *    whatever the size of the file.
 * 2. An object appears when its upload is completed, so an interrupted one leaves no object. A failing stream aborts
 *    the upload. A killed process cannot, and its parts stay in the bucket, invisible, until a lifecycle rule removes
 *    them. `writer().end(error)` is not used: it completes the upload with the bytes so far.
 * 3. Every request has a time limit, since Bun's client ends one only after five minutes without any byte. The client
 *    takes no signal, so a request beyond its limit goes on until the command ends, which has failed with it.
 */
import { S3Client } from "bun";
import { messageOf } from "../base/message-of.ts";
import type { BackupPlace } from "../base/option-parsers.ts";
import { Problem } from "../base/problem.ts";
import { minuteMs, secondMs } from "../base/time.ts";
import { TimeLimit } from "../base/time-limit.ts";
import type { BackupStorage, StorageConfig, StoredFile } from "./backup-storage.ts";

/** Parts of an upload are at least this long. S3 allows 10,000 of them, and 5 MiB is its least. */
const partBytesMin = 8 * 1024 ** 2;
const partsMax = 9_000;
/** Parts on their way at once. */
const queueSize = 2;
const attemptsOfPartMax = 3;
/** Names per request, and requests per list: a list ends after a million names. */
const namesPerPage = 1_000;
const pagesMax = 1_000;

/** The time limits of S3 requests. */
type S3Limits = {
  /** For a response without content. */
  requestMsMax: number;
  /** For each part of a file: until the server takes more bytes of an upload, or sends more of a download. */
  progressMsMax: number;
};
const usualLimits: S3Limits = { requestMsMax: minuteMs, progressMsMax: 10 * minuteMs };

type Bucket = Extract<BackupPlace, { kind: "s3" }>;

/** Backups below a prefix of a bucket. */
export class S3Storage implements BackupStorage {
  readonly #bucket: Bucket;
  readonly #client: S3Client;
  readonly #limits: S3Limits;

  constructor(bucket: Bucket, config: StorageConfig, limits: S3Limits = usualLimits) {
    this.#bucket = bucket;
    this.#limits = limits;
    this.#client = openClient(bucket, config);
  }

  async write(name: string, { bytes, bytesMax, signal }: StoredFile): Promise<number> {
    const key = this.#keyOf(name);
    const limit = progressLimit(this.#bucket, this.#limits);
    const { counted, total } = counting(bytes, signal, limit);
    await this.#explained(async () => {
      // A list, because the response to a HEAD request has no text that says why it was refused.
      const { contents = [] } = await this.#request(this.#client.list({ prefix: key, maxKeys: 1 }));
      if (contents.some((found) => found.key === key)) {
        throw new Problem("conflict", `${this.addressOf(name)} already exists.`);
      }
      const partSize = Math.max(partBytesMin, Math.ceil(bytesMax / partsMax));
      const upload = { partSize, queueSize, retry: attemptsOfPartMax };
      await limit.apply(this.#client.write(key, new Response(counted), upload));
      const { size } = await this.#request(this.#client.stat(key));
      if (size === total()) return;
      await this.#request(this.#client.delete(key));
      throw new Problem("unavailable", `${this.addressOf(name)} has ${size} bytes instead of ${total()}.`);
    });
    return total();
  }

  async list(prefix: string): Promise<string[]> {
    const names: string[] = [];
    let continuationToken: string | undefined;
    for (let page = 0; page < pagesMax; page++) {
      const query = {
        prefix: this.#keyOf(prefix),
        maxKeys: namesPerPage,
        ...(continuationToken === undefined ? {} : { continuationToken }),
      };
      const found = await this.#explained(() => this.#request(this.#client.list(query)));
      for (const { key } of found.contents ?? []) names.push(key.slice(this.#bucket.prefix.length));
      continuationToken = found.nextContinuationToken;
      if (found.isTruncated !== true || continuationToken === undefined) break;
    }
    return names;
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#explained(() => this.#request(this.#client.delete(this.#keyOf(name))));
  }

  addressOf(name: string): string {
    return `s3://${this.#bucket.bucket}/${this.#keyOf(name)}`;
  }

  #keyOf(name: string): string {
    return `${this.#bucket.prefix}${name}`;
  }

  async #request<Result>(request: Promise<Result>): Promise<Result> {
    const ms = this.#limits.requestMsMax;
    return await new TimeLimit(ms, () => noAnswer(this.#bucket, ms)).apply(request);
  }

  async #explained<Result>(request: () => Promise<Result>): Promise<Result> {
    try {
      return await request();
    } catch (error) {
      throw explainS3(error, this.#bucket);
    }
  }
}

/** Reads an object, such as `s3://bucket/prefix/name`. Fails with "unavailable" when it cannot be read. */
export async function* readS3Object(
  bucket: Bucket,
  config: StorageConfig,
  limits: S3Limits = usualLimits,
): AsyncGenerator<Uint8Array> {
  // The path of an object has no slash at its end.
  const key = bucket.prefix.replace(/\/$/, "");
  try {
    const reader = openClient(bucket, config).file(key).stream().getReader();
    // Waiting for each chunk, the reader slows the server down, so memory stays small.
    for (;;) {
      const { done, value } = await progressLimit(bucket, limits).apply(reader.read());
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw explainS3(error, bucket);
  }
}

function openClient({ bucket }: Bucket, config: StorageConfig): S3Client {
  const { WAYPOST_S3_ACCESS_KEY_ID: accessKeyId, WAYPOST_S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  const { WAYPOST_S3_ENDPOINT: endpoint, WAYPOST_S3_SESSION_TOKEN: sessionToken, WAYPOST_S3_REGION: region } = config;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new Problem(
      "unprocessable_entity",
      "Set WAYPOST_S3_ACCESS_KEY_ID and WAYPOST_S3_SECRET_ACCESS_KEY, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
    );
  }
  return new S3Client({
    ...{ bucket, region, accessKeyId, secretAccessKey },
    ...(endpoint === undefined ? {} : { endpoint: endpoint.origin }),
    ...(sessionToken === undefined ? {} : { sessionToken }),
  });
}

function progressLimit(bucket: Bucket, { progressMsMax: ms }: S3Limits): TimeLimit {
  return new TimeLimit(ms, () => noAnswer(bucket, ms));
}

function noAnswer({ bucket }: Bucket, ms: number): Problem {
  return new Problem(
    "unavailable",
    `The S3 server did not answer a request for the bucket ${bucket} within ${ms / secondMs} seconds. Check WAYPOST_S3_ENDPOINT and the network.`,
  );
}

/** The bytes, and afterwards how many there were. Each chunk is progress; the stream fails when the signal is aborted. */
function counting(bytes: ReadableStream<Uint8Array>, signal: AbortSignal, limit: TimeLimit) {
  let total = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      signal.throwIfAborted();
      limit.progress();
      total += chunk.length;
      controller.enqueue(chunk);
    },
    flush: () => signal.throwIfAborted(),
  });
  return { counted: bytes.pipeThrough(counter), total: () => total };
}

/** Returns errors of the S3 server as "unavailable" with its reason; other errors as they are. */
function explainS3(error: unknown, { bucket }: Bucket): unknown {
  if (!(error instanceof Error) || error.name !== "S3Error") return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "UnknownError";
  const reason = reasons[code] ?? messageOf(error);
  return new Problem("unavailable", `The S3 server did not accept a request for the bucket ${bucket}: ${reason}`, {
    cause: error,
  });
}

/** TABLE of errors whose text would not help. */
const reasons: Readonly<Record<string, string>> = {
  ConnectionRefused: "no server answers. Check WAYPOST_S3_ENDPOINT.",
  NoSuchKey: "there is no such backup.",
};
