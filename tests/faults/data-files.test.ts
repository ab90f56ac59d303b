/** Owners and modes of the files in the data folder, which contain password hashes, also after commands of root. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { waypost } from "../support/command.ts";
import { waitUntilDrained } from "../support/counted-once.ts";
import { otherUserId, type SharedProgram, shareProgram } from "../support/other-user.ts";
import { browser, programCommand, startOn, type TestServer } from "../support/server.ts";
import { mountDisk } from "../support/small-disk.ts";

const folder = mkdtempSync(join(tmpdir(), "waypost-data-files-"));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A data folder that belongs to another user. */
function newFolder(uid = process.getuid?.() ?? 0): string {
  const data = mkdtempSync(join(folder, "data-"));
  chmodSync(data, 0o755);
  chownSync(data, uid, uid);
  return data;
}

/** The paths in the folder for which `isWrong` is true. */
function filesWhere(data: string, isWrong: (stats: { mode: number; uid: number }) => boolean): string[] {
  return readdirSync(data, { recursive: true, encoding: "utf8" })
    .map((name) => join(data, name))
    .filter((path) => {
      // The file of an export is removed soon after its end, so it may vanish while the folder is read.
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats !== undefined && isWrong(stats);
    })
    .map((path) => relative(data, path));
}

const isOpenToOthers = ({ mode }: { mode: number }) => (mode & 0o077) !== 0;

/** Performs one of each action that creates files. */
async function use(server: TestServer): Promise<void> {
  const password = "a password of the link";
  await server.call("POST", "/links", { body: { url: "https://example.com", key: "hello" } });
  await server.call("POST", "/links", { body: { url: "https://example.com", password } });
  await server.visit("/hello", { headers: browser });
  await waitUntilDrained(server);
  expect(await server.call("GET", "/analytics/clicks")).toMatchObject({ body: { clicks: 1 } });
  const headers = { Authorization: "Bearer test_owner_key_0123456789_abcdef" };
  const exported = await server.visit("/v1/events/export?format=csv", { headers });
  expect([exported.status, (await exported.text()).split("\n").length]).toEqual([200, 3]);
}

describe.each([
  ["one process", {}],
  ["redirect workers", { WAYPOST_WORKERS: "2" }],
])("%s", (_, environment) => {
  test("other users can read no file in any folder", async () => {
    const data = newFolder();
    const server = await startOn(data, programCommand("serve"), environment);

    await use(server);
    const running = filesWhere(data, isOpenToOthers);
    await server.end("SIGTERM");

    expect([running, filesWhere(data, isOpenToOthers)]).toEqual([[], []]);
    await server.remove();
  });
});

test("doctor names files that others can read, and the next start makes them private", async () => {
  const data = newFolder();
  await (await startOn(data, programCommand("serve"))).end("SIGTERM");
  for (const path of filesWhere(data, () => true)) chmodSync(join(data, path), path === "spool" ? 0o755 : 0o644);

  const before = await waypost(["doctor"], { data });
  const server = await startOn(data, programCommand("serve"));
  const after = await waypost(["doctor"], { data });

  expect(before.stdout).toMatch(/^FAIL {2}permissions: other users can read .* \(mode 0\d{3}\) and \d+ more; restart/m);
  expect(after.stdout).toContain("ok    permissions: only their owner can read the files");
  expect(filesWhere(data, isOpenToOthers)).toEqual([]);
  await server.remove();
});

test("a command on a full disk says that the disk is full, not that the folder belongs to another user", async () => {
  const data = join(folder, "full");
  const disk = mountDisk(data, "64k");
  if (disk.kind === "refused") return;
  try {
    expect(() => writeFileSync(join(data, "filler"), new Uint8Array(128 * 1024))).toThrow("ENOSPC");

    const { code, stderr } = await waypost(["user", "list"], { data });

    expect(code).not.toBe(0);
    expect(stderr).toContain(`WAYPOST_DATA: the folder ${data} cannot be written to`);
    expect(stderr).toContain("The disk is full: free some space.");
    expect(stderr).not.toContain("ownership");
  } finally {
    disk.unmount();
  }
});

test("a user whose export does not fit on the disk is not deleted, and no part of the export stays", async () => {
  const data = newFolder();
  const email = "ann@example.com";
  await waypost(["user", "create", "--email", email], { data });
  const database = new Database(join(data, "waypost.sqlite"));
  // An only owner is not deleted.
  database.run("DELETE FROM members");
  database.run("INSERT INTO userAvatars SELECT id, 'file', 'image/png', ? FROM users WHERE email = ?", [
    ...["A".repeat(64 * 1024), email],
  ]);
  database.close();
  const small = join(folder, "small");
  const disk = mountDisk(small, "16k");
  if (disk.kind === "refused") return;
  try {
    const { code, stderr } = await waypost(["user", "delete", email, "--export", join(small, "ann.json")], { data });
    const { stdout: users } = await waypost(["user", "list"], { data });

    expect([code, stderr]).toEqual([1, expect.stringMatching(/ENOSPC.*Nothing was deleted\.\n$/)]);
    expect(users).toContain(email);
    expect(readdirSync(small)).toEqual([]);
  } finally {
    disk.unmount();
  }
});

test("other files in the data folder keep their modes", async () => {
  const data = newFolder();
  const notes = join(data, "notes");
  mkdirSync(notes, { mode: 0o755 });

  const server = await startOn(data, programCommand("serve"));

  expect(filesWhere(data, isOpenToOthers)).toEqual(["notes"]);
  await server.remove();
});

// Only root can act as two users.
if (process.getuid?.() === 0) {
  describe("commands of root with a service of another user", () => {
    let program: SharedProgram;
    const isNotTheirs = ({ uid }: { uid: number }) => uid !== otherUserId;
    const serve = async (data: string) => await startOn(data, program.command(otherUserId, "serve"));

    beforeAll(() => {
      program = shareProgram();
    });
    afterAll(() => program.unmount());

    test("create only files of that user, so that its next start works", async () => {
      const data = newFolder(otherUserId);
      let server = await serve(data);
      await use(server);
      await server.end("SIGTERM");

      const commands = [
        await program.run(0, ["user", "create", "--email", "ann@example.com"], data),
        await program.run(0, ["key", "list"], data),
        await program.run(0, ["clicks", "verify"], data),
        await program.run(0, ["export", "clicks", "--workspace", "1", "--out", join(data, "clicks.csv")], data),
        await program.run(0, ["doctor"], data),
      ];
      const foreign = filesWhere(data, isNotTheirs);
      server = await startOn(data, program.command(otherUserId, "serve"));

      expect(commands.slice(0, 4).map(({ code, stderr }) => (code === 0 ? "" : stderr))).toEqual(["", "", "", ""]);
      expect(commands[4]?.stdout).toContain("ok    permissions");
      expect(foreign).toEqual([]);
      expect(await server.call("GET", "/analytics/clicks")).toMatchObject({ body: { clicks: 1 } });
      await server.remove();
    });

    test.each([
      ["in the folder for temporary files", ""],
      ["with a path longer than the limit of sockets", "x".repeat(120)],
    ])("reach the running service on a data folder %s", async (_, name) => {
      const data = join(newFolder(otherUserId), name);
      const server = await serve(data);

      const listed = await program.run(0, ["key", "list"], data);

      expect({ ...listed, stdout: listed.stdout.split("\n").length }).toEqual({ code: 0, stdout: 3, stderr: "" });
      await server.remove();
    });

    test("doctor fails for a folder that the first start cannot create", async () => {
      const data = join(newFolder(0), "inside", "data");

      const refused = await program.run(otherUserId, ["serve"], data);
      const doctor = await program.run(otherUserId, ["doctor"], data);

      expect(refused.stderr).toContain(`WAYPOST_DATA: the folder ${data} cannot be created or entered`);
      expect(doctor.stdout).toContain(`FAIL  data folder: ${data} cannot be created in ${join(data, "../..")};`);
    });

    test.each(["exports", "links.replica"])(
      "a start with %s of root fails with one line that names the fix",
      async (name) => {
        const data = newFolder(otherUserId);
        await (await serve(data)).end("SIGTERM");
        mkdirSync(join(data, name), { mode: 0o700 });
        chownSync(join(data, name), 0, 0);

        const refused = await program.run(otherUserId, ["serve"], data);
        const doctor = await program.run(otherUserId, ["doctor"], data);

        expect(refused).toEqual({
          code: 1,
          stdout: "",
          stderr:
            `waypost: WAYPOST_DATA: ${data}/${name} cannot be read and written by user 65534, who runs Waypost: it belongs to ` +
            `user 0 and has mode 0700. Fix it with: chown -R 65534:65534 ${data} && chmod -R u=rwX,go= ${data}\n`,
        });
        expect(doctor.stdout).toContain(`FAIL  permissions: ${data}/${name} belongs to user 0`);
      },
    );

    test("a user who may not enter a folder gets one line from commands that write there, and a report from doctor", async () => {
      const data = newFolder(otherUserId);
      await program.run(otherUserId, ["user", "create", "--email", "ann@example.com"], data);
      const closed = mkdtempSync(join(folder, "closed-"));
      const words = [
        ["backup", join(closed, "backup.tar.zst")],
        ["export", "clicks", "--out", join(closed, "clicks.csv")],
        ["user", "delete", "ann@example.com", "--export", join(closed, "ann.json")],
      ];

      const refused = await Promise.all(words.map((args) => program.run(otherUserId, args, data)));
      const doctors = await Promise.all(
        [closed, join(closed, "data")].map((path) => program.run(otherUserId, ["doctor"], path)),
      );

      for (const { code, stderr } of refused) {
        expect([code, stderr]).toEqual([
          1,
          expect.stringMatching(/^waypost: .*\/closed-\w+ cannot be written to .*\n$/),
        ]);
      }
      for (const { code, stdout, stderr } of doctors) {
        expect([code, stdout, stderr]).toEqual([
          1,
          expect.stringMatching(/^FAIL {2}data folder: .* (cannot be written to|Run this command as root\.$)/m),
          "",
        ]);
      }
    });

    test("a folder of another user that no service has used must change its owner, as one that a container engine created", async () => {
      const data = newFolder(0);
      chmodSync(data, 0o755);

      const { stdout } = await program.run(otherUserId, ["doctor"], data);

      expect(stdout).toContain(`FAIL  data folder: ${data} cannot be written to; give its ownership to the user`);
    });

    test.each([0o755, 0o700])(
      "a user who does not own a data folder with mode %o learns who does, and no advice changes its owner",
      async (mode) => {
        const data = newFolder(0);
        await program.run(0, ["user", "create", "--email", "ann@example.com"], data);
        mkdirSync(join(data, "spool"), { mode: 0o700 });
        chmodSync(data, mode);
        const words = [
          ["user", "list"],
          ["backup", join(newFolder(otherUserId), "b.zst")],
          ["clicks", "verify"],
        ];

        const refused = await Promise.all(words.map((args) => program.run(otherUserId, args, data)));
        const doctor = await program.run(otherUserId, ["doctor"], data);

        const reason = `${data} belongs to root, and you are nobody. Run this command as root.\n`;
        expect(refused).toEqual(words.map(() => ({ code: 1, stdout: "", stderr: `waypost: WAYPOST_DATA: ${reason}` })));
        expect(doctor).toEqual({ code: 1, stdout: `FAIL  data folder: ${reason}`, stderr: "" });
      },
    );

    test("a command of root that may not write as the owner of the folder says so before it copies anything", async () => {
      const data = newFolder(otherUserId);
      await program.run(otherUserId, ["user", "create", "--email", "ann@example.com"], data);
      const closed = mkdtempSync(join(folder, "closed-"));
      const words = [
        ["backup", join(closed, "backup.tar.zst")],
        ["backup", "--to", closed],
        ["export", "clicks", "--out", join(closed, "clicks.csv")],
      ];

      for (const args of words) {
        const { code, stderr } = await program.run(0, args, data);

        const advice = "runs as nobody, who owns the data folder; choose a folder that this user can write.";
        expect([code, stderr]).toEqual([1, expect.stringMatching(/^waypost: .*\/closed-\w+ cannot be [^\n]*\n$/)]);
        expect(stderr).toContain(`This command ${advice}`);
      }
      expect(readdirSync(closed)).toEqual([]);
    });

    test("a server started by root warns, and changes no modes, because of symbolic links", async () => {
      const data = newFolder(otherUserId);
      const open = join(data, "waypost.kept");
      writeFileSync(open, "");
      chmodSync(open, 0o644);
      chownSync(open, otherUserId, otherUserId);

      const server = await startOn(data, program.command(0, "serve"));

      expect(lstatSync(open).mode & 0o777).toBe(0o644);
      expect(server.output()).toContain("Waypost runs as root on a data folder of another user");
      await server.remove();
    });
  });
}
