import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../config.ts";
import { checkEnvironment } from "./check-environment.ts";

let data = "";
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "waypost-test-"));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

/** The result of one check; undefined without one. Nothing listens at the resolver. */
async function resultOf(name: string, options: Record<string, string>) {
  const results = await checkEnvironment(
    readConfig({ WAYPOST_DATA: data, WAYPOST_RESOLVERS: "127.0.0.1:9", ...options }),
  );
  return results.find(({ check }) => check === name);
}

const storeSizeCheck = (storeBytesMax: number) =>
  resultOf("click store size", { WAYPOST_STORE_MAX_BYTES: String(storeBytesMax) });

test("doctor warns from 80 % of WAYPOST_STORE_MAX_BYTES, and says what happens above it", async () => {
  writeFileSync(join(data, "clicks.duckdb"), Buffer.alloc(700));
  writeFileSync(join(data, "clicks.duckdb.wal"), Buffer.alloc(100));

  const [low, ample, unlimited] = [await storeSizeCheck(1_000), await storeSizeCheck(1_001), await storeSizeCheck(0)];

  expect(low).toMatchObject({ ok: false, detail: expect.stringContaining("long texts of visitors are cut") });
  expect(ample).toMatchObject({ ok: true, detail: "800 bytes of stored clicks; the limit is 1001" });
  expect(unlimited).toBeUndefined();
});

test("doctor fails while an HTTPS port gets no certificates, and names the option that accepts the authority's terms", async () => {
  const https = { WAYPOST_HTTPS_PORT: "443" };

  const [missing, accepted, without] = [
    await resultOf("terms", https),
    await resultOf("terms", { ...https, WAYPOST_ACME_ACCEPT_TERMS: "true" }),
    await resultOf("terms", {}),
  ];

  expect(missing).toMatchObject({ ok: false, detail: expect.stringContaining("WAYPOST_ACME_ACCEPT_TERMS=true") });
  expect([accepted, without]).toEqual([undefined, undefined]);
});

test("doctor warns of certificates that are ordered although no port presents them", async () => {
  const terms = { WAYPOST_ACME_ACCEPT_TERMS: "true" };

  const [missing, presented, without] = [
    await resultOf("HTTPS port", { ...terms, WAYPOST_HTTP_PORT: "80" }),
    await resultOf("HTTPS port", { ...terms, WAYPOST_HTTPS_PORT: "443" }),
    await resultOf("HTTPS port", { WAYPOST_HTTP_PORT: "80" }),
  ];

  expect(missing).toMatchObject({
    ...{ ok: true, warning: true },
    detail: expect.stringContaining("set WAYPOST_HTTPS_PORT=443"),
  });
  expect([presented, without]).toEqual([undefined, undefined]);
});

test("doctor fails for a folder of scheduled backups that is missing or a file, and not for a bucket", async () => {
  const [file, missing] = [join(data, "file"), join(data, "missing")];
  writeFileSync(file, "");
  const detailOf = async (place: string) => (await resultOf("backup folder", { WAYPOST_BACKUP_TO: place }))?.detail;

  expect(await detailOf(file)).toBe(`WAYPOST_BACKUP_TO: ${file} is not a folder. Until then, backups fail.`);
  expect(await detailOf(missing)).toBe(
    `WAYPOST_BACKUP_TO: there is no folder ${missing}. Create it, or mount its disk. Until then, backups fail.`,
  );
  expect([await detailOf(data), await detailOf("s3://bucket/prefix")]).toEqual([undefined, undefined]);
});

test("doctor fails for an access log that cannot be written, and not for a file that does not exist yet", async () => {
  const [file, missing] = [join(data, "file"), join(data, "missing")];
  writeFileSync(file, "");
  const detailOf = async (target: string) => (await resultOf("access log", { WAYPOST_ACCESS_LOG: target }))?.detail;

  expect(await detailOf(join(missing, "access.jsonl"))).toBe(
    `WAYPOST_ACCESS_LOG: there is no folder ${missing}. Create it. Until then, the lines of requests are dropped.`,
  );
  expect(await detailOf(data)).toBe(
    `WAYPOST_ACCESS_LOG: ${data} is a folder. Name a file in it. Until then, the lines of requests are dropped.`,
  );
  expect(await detailOf(join(file, "access.jsonl"))).toContain("WAYPOST_ACCESS_LOG: ");
  expect([await detailOf(file), await detailOf(join(data, "new")), await detailOf("stdout")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(existsSync(join(data, "new"))).toBe(false);
});
