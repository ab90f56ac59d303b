/** Mistakes on the command line end in one line that says what would be right, and change nothing. */
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { runInProcess } from "./support/command-in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "waypost-mistakes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A data folder with one user, made without a server. */
async function dataWithUser(name: string): Promise<string> {
  const data = join(folder, name);
  expect(await runInProcess(["user", "create", "--email", "ann@example.com"], { data })).toMatchObject({ code: 0 });
  return data;
}

test.each([["restore"], ["backup verify"]])("%s names a valid address when s3:// has no bucket", async (command) => {
  const result = await runInProcess([...command.split(" "), "s3://x"], { data: join(folder, "none") });

  expect(result).toEqual({
    code: 1,
    stdout: "",
    stderr: "waypost: s3://x is not the address of a backup, such as s3://my-bucket/waypost/waypost-…tar.zst.\n",
  });
});

test("the file of a backup may follow --encrypt-to, which may be repeated", async () => {
  const data = await dataWithUser("encrypted");
  const identities = [await generateIdentity(), await generateIdentity()];
  const recipients = await Promise.all(identities.map((identity) => identityToRecipient(identity)));
  const file = join(folder, "backup.age");

  const made = await runInProcess(["backup", ...recipients.flatMap((one) => ["--encrypt-to", one]), file], { data });

  expect(made).toMatchObject({ code: 0 });
  for (const [index, identity] of identities.entries()) {
    const key = join(folder, `key-${index}`);
    writeFileSync(key, identity);
    const verified = await runInProcess(["backup", "verify", file, "--identity-file", key], { data });
    expect(verified).toMatchObject({ code: 0 });
  }
});

test("user sessions refuses --end together with --end-all", async () => {
  const data = await dataWithUser("sessions");

  const both = await runInProcess(["user", "sessions", "ann@example.com", "--end", "session_1", "--end-all"], { data });

  expect([both.code, both.stderr]).toEqual([1, "waypost: Give either --end or --end-all. --help lists the options.\n"]);
});

test("user delete names what is wrong with the file for the export, and deletes nobody", async () => {
  const data = await dataWithUser("deleted");
  const taken = join(folder, "taken.json");
  writeFileSync(taken, "notes");
  mkdirSync(join(folder, "a-folder"));
  const mistakes = [
    [taken, `${taken} already exists. Choose another file.`],
    [join(folder, "missing/ann.json"), `There is no folder ${folder}/missing. Create it, or give another file.`],
    [join(folder, "a-folder"), `${folder}/a-folder is a folder. Give a file in it.`],
  ] as const;

  for (const [file, reason] of mistakes) {
    const refused = await runInProcess(["user", "delete", "ann@example.com", "--export", file], { data });
    expect([refused.code, refused.stderr]).toEqual([1, `waypost: --export: ${reason} Nothing was deleted.\n`]);
  }
  const { stdout } = await runInProcess(["user", "list", "--json"], { data });
  expect(JSON.parse(stdout)).toMatchObject([{ email: "ann@example.com" }]);
  expect([readFileSync(taken, "utf8"), readdirSync(join(folder, "a-folder"))]).toEqual(["notes", []]);
});

test("doctor reports a data folder that is a file", async () => {
  const data = join(folder, "file-as-folder");
  writeFileSync(data, "");

  const { code, stdout } = await runInProcess(["doctor"], { data });

  expect([code, stdout]).toEqual([1, expect.stringContaining(`FAIL  data folder: ${data} is no folder`)]);
});

test("a wrong user, workspace or extension is named", async () => {
  const data = await dataWithUser("named");
  const mistakes = [
    ["key create --email nobody@example.com", "There is no user nobody@example.com."],
    ["key create --email ann@example.com --workspace 9", "The user ann@example.com does not belong to workspace 9."],
    [
      "workspace transfer abc --to ann@example.com",
      '"abc" is not the number of a workspace; waypost workspace list shows them.',
    ],
    [
      `export clicks --out ${join(folder, "nov.txt")}`,
      "--out: .txt is not the extension of a format (csv, jsonl, parquet). Give the format with --format.",
    ],
  ] as const;

  for (const [words, reason] of mistakes) {
    const { code, stderr } = await runInProcess(words.split(" "), { data });
    expect([code, stderr]).toEqual([1, `waypost: ${reason}\n`]);
  }
  expect(readdirSync(folder)).not.toContain("nov.txt");
});

test("doctor warns of a variable that is no option, and passes", async () => {
  const data = await dataWithUser("misspelled");

  const { stdout } = await runInProcess(["doctor"], { data, environment: { WAYPOST_PORTT: "1" } });

  expect(stdout).toContain(
    "warn  options: this version has no WAYPOST_PORTT, which has no effect; the others are valid\n",
  );
});

test("backup refuses a missing folder, and does not create it", async () => {
  const data = await dataWithUser("unmounted");
  const missing = join(folder, "disk", "backups");

  const { code, stderr } = await runInProcess(["backup", "--to", missing], { data });

  expect([code, stderr]).toEqual([1, `waypost: There is no folder ${missing}. Create it, or mount its disk.\n`]);
  expect(readdirSync(folder)).not.toContain("disk");
});
