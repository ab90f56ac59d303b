import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { withCheapPassphrases } from "../../tests/support/cheap-passphrases.ts";
import { webStreamOf } from "../base/web-stream.ts";
import type { Manifest } from "./archive-format.ts";
import { archiveStream } from "./archive-stream.ts";
import { decrypt, type Encryption, type Keys } from "./encryption.ts";
import { DamagedBackup, extractArchive } from "./read-archive.ts";

/** Contents of the files of a backup: some that compress well, and some that do not. */
const files: Record<string, Buffer> = {
  "waypost.sqlite": Buffer.alloc(70_000, "sqlite"),
  "clicks.duckdb": Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 2_654_435_761) >>> 24)),
  "spool/0000000000000000.spool": Buffer.alloc(10, 1),
  "spool/worker-1/0000000000000000.spool": Buffer.alloc(0),
};

const manifest: Manifest = {
  format: 1,
  version: "1.2.3",
  createdAt: "2026-11-24T12:00:00.000Z",
  database: { engine: "sqlite", lastMigration: "0001-foundation", rows: {} },
  store: { schemaVersion: 3, rows: {}, cursors: {} },
  spools: [],
  secret: "none",
  secretFingerprint: "",
  files: Object.entries(files).map(([name, content]) => ({ name, bytes: content.length })),
};

const noKeys: Keys = { identities: [], passphrase: undefined };
const observer = { onManifest() {}, onWrite() {} };

let folder = "";
let outputs = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waypost-archive-"));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

async function archive(encryption: Encryption = { kind: "none" }): Promise<Buffer> {
  const stream = await archiveStream(folder, manifest, { encryption, onRead() {} });
  return Buffer.concat(await Array.fromAsync(stream));
}

/** Extracts an archive into a new folder; returns the folder. */
async function extract(bytes: Buffer, keys = noKeys): Promise<string> {
  const into = join(folder, `out-${outputs++}`);
  mkdirSync(into);
  const path = join(folder, "archive");
  writeFileSync(path, bytes);
  // Small reads, so that the trailer lies in several.
  const stream = await decrypt(webStreamOf(createReadStream(path, { highWaterMark: 1_000 })), keys);
  expect(await extractArchive(stream, into, observer)).toEqual(manifest);
  return into;
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => "no failure",
    (error: unknown) => error,
  );
}

describe("an archive", () => {
  test("has the same files when it is extracted, and other programs open it", async () => {
    const bytes = await archive();

    const into = await extract(bytes);

    for (const [name, content] of Object.entries(files))
      expect(readFileSync(join(into, name)).equals(content)).toBe(true);
    const tar = Bun.zstdDecompressSync(bytes);
    writeFileSync(join(folder, "archive.tar"), tar);
    const listed = Bun.spawnSync(["tar", "-tf", join(folder, "archive.tar")]).stdout.toString();
    expect(listed.trim().split("\n")).toEqual(["manifest.json", ...Object.keys(files), "SHA256SUMS"]);
  });

  test("with any byte changed is refused", async () => {
    const bytes = await archive();
    const positions = [...Array(64).keys(), ...Array.from({ length: 48 }, (_, index) => bytes.length - 1 - index)];
    for (let position = 64; position < bytes.length; position += 4_001) positions.push(position);

    for (const position of positions) {
      const damaged = Buffer.from(bytes);
      damaged[position] = (damaged[position] ?? 0) ^ 1;
      const failure = await failureOf(extract(damaged));
      expect({ position, failure }).toEqual({ position, failure: expect.any(DamagedBackup) });
    }
  });

  test("that ends early, or has bytes after its end, is refused", async () => {
    const bytes = await archive();

    for (const part of [bytes.subarray(0, 0), bytes.subarray(0, 100), bytes.subarray(0, -1), bytes.subarray(0, -40)]) {
      expect(await failureOf(extract(part))).toBeInstanceOf(DamagedBackup);
    }
    expect(await failureOf(extract(Buffer.concat([bytes, Buffer.from("x")])))).toBeInstanceOf(DamagedBackup);
  });

  test("of a file that is shorter than its manifest says cannot be made", async () => {
    writeFileSync(join(folder, "waypost.sqlite"), "short");

    expect(String(await failureOf(archive()))).toContain("waypost.sqlite has 5 bytes instead of 70000");
  });

  test("with a file outside the names of a backup is refused", async () => {
    const names = ["spool/../../waypost.sqlite", "waypost.lock", "spool/.hidden"];
    for (const name of names) {
      mkdirSync(dirname(join(folder, "inner", name)), { recursive: true });
      writeFileSync(join(folder, "inner", name), "0123456789");
      const evil = { ...manifest, files: [{ name, bytes: 10 }] };
      const stream = await archiveStream(join(folder, "inner"), evil, { encryption: { kind: "none" }, onRead() {} });
      const bytes = Buffer.concat(await Array.fromAsync(stream));

      expect(String(await failureOf(extract(bytes)))).toBe("DamagedBackup: Its manifest is damaged.");
    }
  });
});

describe("an encrypted archive", () => {
  test("opens with the identity of its recipient, and with nothing else", async () => {
    const [identity, other] = [await generateIdentity(), await generateIdentity()];
    const bytes = await archive({ kind: "recipients", recipients: [await identityToRecipient(identity)] });

    await extract(bytes, { identities: [other, identity], passphrase: undefined });

    expect(String(await failureOf(extract(bytes)))).toContain("The backup is encrypted.");
    const wrong = await failureOf(extract(bytes, { identities: [other], passphrase: undefined }));
    expect(String(wrong)).toContain("The key or passphrase does not open the backup");
  });

  test("opens with its passphrase, and any changed byte is refused", async () => {
    const bytes = await archive({ kind: "passphrase", passphrase: "correct horse" });
    const keys = { identities: [], passphrase: "correct horse" };

    await extract(bytes, keys);

    const cheap = await withCheapPassphrases(() => archive({ kind: "passphrase", passphrase: "correct horse" }));
    const wrong = await failureOf(extract(cheap, { identities: [], passphrase: "battery staple" }));
    expect(String(wrong)).toContain("The key or passphrase does not open the backup");
    const damaged = Buffer.from(cheap);
    damaged[cheap.length - 100] = (damaged[cheap.length - 100] ?? 0) ^ 1;
    expect(await failureOf(extract(damaged, keys))).toBeInstanceOf(DamagedBackup);
  });
});
