/** Backups in a bucket of a real S3 server, which verifies signatures. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { S3Storage } from "../../src/backup/s3-storage.ts";
import { readConfig } from "../../src/config.ts";
import { waypost } from "../support/command.ts";
import { type S3Server, startS3Server } from "../support/s3-server.ts";
import { eventually, startServer, type TestServer } from "../support/server.ts";

/** The line of JSON of a backup. */
const Made = z.object({ file: z.string(), bytes: z.int(), createdAt: z.string(), deleted: z.int() });
type Made = z.output<typeof Made>;

let s3: S3Server;
let server: TestServer;
const folder = mkdtempSync(join(tmpdir(), "waypost-s3-backups-"));

beforeAll(async () => {
  s3 = await startS3Server();
  server = await startServer();
}, 16 * 60_000);
afterAll(async () => {
  await s3.close();
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
});

const command = (words: string[], environment: Record<string, string> = {}) =>
  waypost(words, { data: server.data, environment: { ...s3.environment, ...environment } });

const storageOf = (prefix: string, environment: Record<string, string> = {}) =>
  new S3Storage({ kind: "s3", bucket: s3.bucket, prefix }, readConfig({ ...s3.environment, ...environment }));

async function keys(prefix: string): Promise<string[]> {
  return ((await s3.client.list({ prefix })).contents ?? []).map(({ key }) => key);
}

const partBytes = 1024 ** 2;

/** Bytes that pass through `onChunk`, which may wait or throw. */
function megabytes(count: number, onChunk: (sent: number) => Promise<void> | void = () => {}) {
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await onChunk(sent);
      if (sent === count) return controller.close();
      sent++;
      controller.enqueue(new Uint8Array(partBytes).fill(sent));
    },
  });
}

const stored = (bytes: ReadableStream<Uint8Array>, signal = new AbortController().signal) => ({
  ...{ bytes, signal },
  bytesMax: 64 * partBytes,
});

test("a backup in a bucket is verified and restored from there, and --keep deletes older ones", async () => {
  const made: Made[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const result = await command(["backup", "--to", `s3://${s3.bucket}/nightly/a b`, "--keep", "2"]);
    expect(result).toMatchObject({ code: 0 });
    made.push(Made.parse(JSON.parse(result.stdout)));
    await eventually(
      async () => Date.now() - Date.parse(made.at(-1)?.createdAt ?? ""),
      (ms) => ms > 1_000,
    );
  }
  const { file, bytes } = Made.parse(made[2]);
  const verified = await command(["backup", "verify", file]);
  const restored = await waypost(["restore", file], { data: join(folder, "restored"), environment: s3.environment });

  const kept = made.slice(1).map((each) => each.file.slice(`s3://${s3.bucket}/`.length));
  expect((await keys("nightly/")).sort()).toEqual(kept.sort());
  expect((await s3.client.stat(file.slice(`s3://${s3.bucket}/`.length))).size).toBe(bytes);
  expect(verified).toMatchObject({ code: 0 });
  expect(restored).toMatchObject({ code: 0 });
}, 240_000);

test("a server makes scheduled backups in a bucket", async () => {
  const environment = { ...s3.environment, WAYPOST_BACKUP_TO: `s3://${s3.bucket}/scheduled` };
  const scheduled = await startServer(environment);
  try {
    const names = await eventually(
      async () => await keys("scheduled/"),
      ({ length }) => length > 0,
    );

    expect(names).toHaveLength(1);
  } finally {
    await scheduled.remove();
  }
});

test("a large file arrives in parts and reads back the same", async () => {
  const storage = storageOf("large/");
  const bytes = await storage.write("file", stored(megabytes(40)));
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of megabytes(40)) hash.update(chunk);
  const found = new Bun.CryptoHasher("sha256");
  for await (const chunk of s3.client.file("large/file").stream()) found.update(chunk);

  expect(bytes).toBe(40 * partBytes);
  expect(found.digest("hex")).toBe(hash.digest("hex"));
  expect((await s3.client.stat("large/file")).etag).toContain("-5");
  expect(storage.write("file", stored(megabytes(1)))).rejects.toThrow("already exists");
});

test("an upload that fails or is aborted midway leaves no object", async () => {
  const storage = storageOf("broken/");
  const failing = storage.write("failed", stored(megabytes(40, (sent) => refuseAt(sent, 30))));
  await expect(failing).rejects.toThrow("The disk cannot be read.");
  const stopping = new AbortController();
  const abortAt = (sent: number) => (sent === 30 ? stopping.abort(new Error("Stopped.")) : undefined);
  const aborted = storage.write("aborted", stored(megabytes(40, abortAt), stopping.signal));
  await expect(aborted).rejects.toThrow("Stopped.");
  // Shorter than a part, so that nothing has been sent.
  const short = storage.write("short", stored(megabytes(40, (sent) => refuseAt(sent, 2))));
  await expect(short).rejects.toThrow("The disk cannot be read.");

  expect(await keys("broken/")).toEqual([]);
});

function refuseAt(sent: number, at: number): void {
  if (sent === at) throw new Error("The disk cannot be read.");
}

test("a server that goes down midway fails the upload, and no object appears when it is back", async () => {
  const storage = storageOf("down/");
  const killAt = (sent: number) => (sent === 20 ? s3.kill() : undefined);
  const written = storage.write("file", stored(megabytes(60, killAt)));
  await expect(written).rejects.toThrow("no server answers");
  const made = await command(["backup", "--to", `s3://${s3.bucket}/down`]);
  await s3.start();

  expect(made.code).toBe(1);
  expect(made.stderr).toContain("no server answers. Check WAYPOST_S3_ENDPOINT.");
  expect(await keys("down/")).toEqual([]);
});

test("a wrong secret, a missing bucket, no credentials and a missing backup are named", async () => {
  const to = `s3://${s3.bucket}/refused`;
  const wrong = await command(["backup", "--to", to], { AWS_SECRET_ACCESS_KEY: "another-secret" });
  const missing = await command(["backup", "--to", "s3://no-such-bucket/x"]);
  const none = await command(["backup", "--to", to], { AWS_ACCESS_KEY_ID: "" });
  const absent = await command(["backup", "verify", `${to}/waypost-absent.tar.zst`]);

  expect([wrong, missing, none, absent].map(({ code }) => code)).toEqual([1, 1, 1, 1]);
  expect(wrong.stderr).toContain("signature");
  expect(missing.stderr).toContain("bucket no-such-bucket");
  expect(missing.stderr).not.toContain("Copying");
  expect(none.stderr).toContain("Set WAYPOST_S3_ACCESS_KEY_ID");
  expect(absent.stderr).toContain("there is no such backup");
  expect(await keys("refused/")).toEqual([]);
});
