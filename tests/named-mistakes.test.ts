/** What an operator reads after a mistake with a file or folder: one line that names it and the mistake. */

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reasonOfFailure } from "../src/backup/write-backup-file.ts";
import { Problem } from "../src/base/problem.ts";
import { withBackupFolder } from "./support/backup-folders.ts";
import { waypost } from "./support/command.ts";
import { runInProcess } from "./support/command-in-process.ts";

test("backup verify and restore name a folder, a missing file and an unusable key file", async () => {
  await withBackupFolder(async (folder) => {
    const data = join(folder, "data");
    const key = join(folder, "key");
    writeFileSync(key, "no key of age\n");
    writeFileSync(join(folder, "backup.age"), "age-encryption.org/v1\n");

    for (const command of [["backup", "verify"], ["restore"]]) {
      const ofFolder = await runInProcess([...command, folder], { data });
      const ofMissing = await runInProcess([...command, join(folder, "none")], { data });
      const ofFile = await runInProcess([...command, join(key, "below")], { data });
      const withoutKey = await runInProcess([...command, join(folder, "backup.age"), "--identity-file", key], { data });

      expect(ofFolder.stderr).toBe(`waypost: ${folder} is a folder. Name the file of a backup.\n`);
      expect(ofMissing.stderr).toBe(`waypost: There is no file ${folder}/none.\n`);
      expect(ofFile.stderr).toStartWith(`waypost: ${key}/below cannot be read (ENOTDIR`);
      expect(withoutKey.stderr).toBe(`waypost: ${key} holds no key of age, a line that begins with AGE-SECRET-KEY-.\n`);
    }
  });
});

test("a backup names a place that cannot take it before it copies anything", async () => {
  await withBackupFolder(async (folder) => {
    const data = join(folder, "data");
    mkdirSync(data);
    const taken = await runInProcess(["backup", folder], { data });
    const forced = await runInProcess(["backup", "--force", folder], { data });
    const missing = await runInProcess(["backup", join(folder, "none/backup")], { data });

    for (const { stderr } of [taken, forced]) {
      expect(stderr).toBe(`waypost: ${folder} is a folder. Give a file in it, or --to with the folder.\n`);
    }
    expect(missing.stderr).toBe(`waypost: There is no folder ${folder}/none. Create it, or give another file.\n`);
    expect(readdirSync(data)).toEqual([]);
  });
});

test("verifying without a temporary folder names it, and how to choose another", async () => {
  await withBackupFolder(async (folder) => {
    const none = join(folder, "none");
    const file = join(folder, "backup");
    writeFileSync(file, "no backup\n");

    const { code, stderr } = await waypost(["backup", "verify", file], { data: folder, environment: { TMPDIR: none } });

    expect(code).toBe(1);
    expect(stderr).toMatch(/^waypost: A backup is verified in .*none, which cannot be used \(ENOENT.*\)\. Set TMPDIR/);
    expect(stderr.trimEnd()).not.toContain("\n");
  });
});

test("an export names a place that cannot take it before it reads anything", async () => {
  await withBackupFolder(async (folder) => {
    const data = join(folder, "data");
    mkdirSync(data);
    const forced = await runInProcess(["export", "clicks", "--force", "--out", folder], { data });
    const missing = await runInProcess(["export", "clicks", "--out", join(folder, "none/clicks.csv")], { data });

    expect(forced.stderr).toBe(`waypost: ${folder} is a folder. Give a file in it.\n`);
    expect(missing.stderr).toBe(`waypost: There is no folder ${folder}/none. Create it, or give another file.\n`);
    expect(readdirSync(data)).toEqual([]);
  });
});

test("a command in a folder without data names the folder, and creates no database", async () => {
  await withBackupFolder(async (folder) => {
    for (const command of [
      ["user", "list"],
      ["workspace", "list"],
      ["host", "block", "example.com", "--reason", "spam"],
    ]) {
      const { code, stderr } = await runInProcess(command, { data: folder });

      expect(code).toBe(1);
      expect(stderr).toStartWith(`waypost: WAYPOST_DATA: ${folder} holds no data of Waypost. Give the data folder`);
    }
    expect(readdirSync(folder).filter((name) => name.includes("sqlite"))).toEqual([]);
  });
});

test("a start with ClickHouse, and doctor, say where the secret is before anything is moved", async () => {
  await withBackupFolder(async (folder) => {
    const data = join(folder, "data");
    const environment = {
      WAYPOST_DATABASE_URL: "postgres://waypost:secret@127.0.0.1:9/waypost",
      WAYPOST_CLICKS_URL: "http://waypost:secret@127.0.0.1:9/waypost",
      WAYPOST_SECRET: "",
    };
    mkdirSync(data);
    const empty = await waypost(["serve"], { data, environment });
    writeFileSync(join(data, "secret"), "the secret of the former single machine", { mode: 0o600 });
    const moved = await waypost(["serve"], { data, environment });
    const checked = await waypost(["doctor"], { data, environment });

    const problem = "WAYPOST_SECRET: it must be set with WAYPOST_CLICKS_URL";
    expect(empty.stderr).toMatch(new RegExp(`^waypost: ${problem}.* Example: WAYPOST_SECRET=`));
    expect(moved.stderr).toMatch(new RegExp(`^waypost: ${problem}.* Set it to the contents of ${data}/secret, which`));
    expect(checked.stdout).toMatch(new RegExp(`^FAIL  secret: ${problem}.*${data}/secret`, "m"));
  });
});

test("the reason of a backup that may not be written names its file, not the data folder", () => {
  const cause = Object.assign(new Error("EACCES: permission denied, open '/backups/one'"), { code: "EACCES" });
  const failed = new Problem("unavailable", `/backups/one cannot be written to (${cause.message}).`, { cause });

  expect(reasonOfFailure(failed)).toBe(failed.message);
});
