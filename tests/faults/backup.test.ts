/** Backups that are interrupted, run twice, or find no room. */
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expectNoCopies, withBackupFolder } from "../support/backup-folders.ts";
import { waypost } from "../support/command.ts";
import { startServer } from "../support/server.ts";
import { mountDisk } from "../support/small-disk.ts";

test("the backup command refuses a second backup while one runs, and an interrupted restore keeps a server from starting", async () => {
  await withBackupFolder(async (folder) => {
    const server = await startServer();
    try {
      const two = ["one", "two"].map((name) => waypost(["backup", join(folder, name)], server));
      const results = await Promise.all(two);
      await server.end("SIGTERM");
      mkdirSync(join(server.data, "waypost.restore"));
      const started = await waypost(["serve"], server);

      expect(results.some(({ code }) => code === 0)).toBe(true);
      for (const { code, stderr } of results) {
        if (code !== 0) expect(stderr).toMatch(/Another backup has been running for \d+ s: it.* Wait until/);
      }
      expect(started.stderr).toContain("was interrupted");
      expect(started.code).not.toBe(0);
    } finally {
      await server.remove();
    }
  });
});

test("a backup on a full disk leaves nothing behind, and names the file and the space that it needs", async () => {
  await withBackupFolder(async (folder) => {
    const server = await startServer();
    const small = join(folder, "small");
    const disk = mountDisk(small, "12k");
    try {
      if (disk.kind === "refused") return;
      const made = await waypost(["backup", join(small, "backup")], server);

      expect(made.code).not.toBe(0);
      expect(made.stderr).toContain(`${join(small, "backup")} cannot be written to (No space left on device).`);
      expect(made.stderr).toMatch(/The backup takes up to [1-9]\d* MB\./);
      expect(readdirSync(small)).toEqual([]);
      await expectNoCopies(server);
    } finally {
      if (disk.kind === "mounted") disk.unmount();
      await server.remove();
    }
  });
});
