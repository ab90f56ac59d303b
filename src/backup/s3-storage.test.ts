import { afterAll, expect, test } from "bun:test";
import { readConfig } from "../config.ts";
import { readS3Object, S3Storage } from "./s3-storage.ts";

const limits = { requestMsMax: 200, progressMsMax: 200 };
const bucket = { kind: "s3", bucket: "backups", prefix: "daily/" } as const;
const lateAnswer = "The S3 server did not answer a request for the bucket backups within 0.2 seconds.";

/** Lists no objects, begins the object `begun`, and never answers other requests. */
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch({ url }) {
    const { pathname, searchParams } = new URL(url);
    if (searchParams.get("prefix") === "daily/new") {
      return new Response("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>");
    }
    if (!pathname.endsWith("begun")) return new Promise<Response>(() => {});
    return new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(9)) }));
  },
});
afterAll(() => server.stop(true));

const config = readConfig({
  WAYPOST_S3_ENDPOINT: `http://127.0.0.1:${server.port}`,
  WAYPOST_S3_ACCESS_KEY_ID: "key",
  WAYPOST_S3_SECRET_ACCESS_KEY: "secret",
});
const storage = new S3Storage(bucket, config, limits);

test("a request that is not answered fails after its limit, which the error names", async () => {
  expect(storage.list("")).rejects.toThrow(lateAnswer);
  expect(storage.remove(["old"])).rejects.toThrow(lateAnswer);
});

test("an upload fails when the server takes no more bytes within the limit", async () => {
  const bytes = new Response(new Uint8Array(1_000)).body ?? new ReadableStream<Uint8Array>();
  const file = { bytes, bytesMax: 1_000, signal: new AbortController().signal };

  await expect(storage.write("new", file)).rejects.toThrow(lateAnswer);
});

test("a download fails when no more bytes arrive within the limit", async () => {
  const chunks = readS3Object({ ...bucket, prefix: "daily/begun" }, config, limits);

  const first = await chunks.next();

  expect(first.value).toHaveLength(9);
  await expect(chunks.next()).rejects.toThrow(lateAnswer);
});
