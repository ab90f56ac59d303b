/** Backups that a server makes by itself. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { waypost } from "../support/command.ts";
import { metric } from "../support/counted-once.ts";
import { eventually, startServer } from "../support/server.ts";

/** The line of JSON of a backup. */
const Made = z.object({ file: z.string(), bytes: z.int(), createdAt: z.string(), deleted: z.int() });
type Made = z.output<typeof Made>;

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "waypost-scheduled-"));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const isBackup = (name: string) => /^waypost-[0-9a-f]{8}-\d{8}T\d{6}Z\.tar\.zst$/.test(name);

for (const workers of ["0", "2"]) {
  test(`a server with ${workers} workers makes its first scheduled backup after the start, and it restores`, async () => {
    await withFolder(async (folder) => {
      const to = join(folder, "backups");
      mkdirSync(to);
      const server = await startServer({ WAYPOST_BACKUP_TO: to, WAYPOST_WORKERS: workers });
      try {
        const failures = async () => await metric(server, "waypost_backup_failures");
        const bytes = await eventually(
          async () => await metric(server, "waypost_last_backup_bytes"),
          ([size = 0]) => size > 0,
        );
        await eventually(failures, ([count]) => count === 0);
        const [name = ""] = readdirSync(to);
        const doctor = await waypost(["doctor"], server);
        const restored = await waypost(["restore", join(to, name)], { data: join(folder, "restored") });

        expect(readdirSync(to)).toHaveLength(1);
        expect(isBackup(name)).toBe(true);
        expect(await metric(server, "waypost_backup_interval_seconds")).toEqual([24 * 60 * 60]);
        expect(doctor.stdout).toContain(`and has ${(bytes[0] ?? 0).toLocaleString("en")} bytes`);
        expect(restored).toMatchObject({ code: 0 });
      } finally {
        await server.remove();
      }
    });
  });
}

test("a failed scheduled backup appears in the log, in the metrics and in doctor, and survives a restart", async () => {
  await withFolder(async (folder) => {
    writeFileSync(join(folder, "file"), "");
    const server = await startServer({ WAYPOST_BACKUP_TO: join(folder, "file/backups") });
    try {
      const failures = async () => await metric(server, "waypost_backup_failures");
      await eventually(failures, ([count = 0]) => count === 1);
      await server.end("SIGTERM");
      const again = await server.restart();
      const after = await eventually(
        async () => await metric(again, "waypost_backup_failures"),
        ([count]) => count === 1,
      );
      const doctor = await waypost(["doctor"], server);
      await again.end("SIGTERM");

      expect(after).toEqual([1]);
      expect(doctor.stdout).toContain("FAIL  backup: the last scheduled backup failed:");
      expect(doctor.stdout).toContain("FAIL  backup folder: WAYPOST_BACKUP_TO: ");
      expect(server.output()).toContain("Until then, backups fail.");
    } finally {
      await server.remove();
    }
  });
});

test("--keep deletes older backups of the same service, and nothing else", async () => {
  await withFolder(async (folder) => {
    const server = await startServer();
    try {
      const foreign = ["waypost-00000000-20200101T000000Z.tar.zst", "notes.txt", "waypost-2020-01-01.tar.zst"];
      for (const name of foreign) writeFileSync(join(folder, name), "");
      const made: Made[] = [];
      for (let turn = 0; turn < 3; turn++) {
        const result = await waypost(["backup", "--to", folder, "--keep", "2"], server);
        made.push(Made.parse(JSON.parse(result.stdout)));
        // Names have the time in seconds.
        await eventually(
          async () => Date.now() - Date.parse(made.at(-1)?.createdAt ?? ""),
          (ms) => ms > 1_000,
        );
      }

      expect(made.map(({ deleted }) => deleted)).toEqual([0, 0, 1]);
      const expected = [...foreign.map((name) => join(folder, name)), ...made.slice(1).map(({ file }) => file)];
      expect(
        readdirSync(folder)
          .map((name) => join(folder, name))
          .sort(),
      ).toEqual(expected.sort());
    } finally {
      await server.remove();
    }
  });
});

test("a restored copy begins a new series, and deletes no backup of the original", async () => {
  await withFolder(async (folder) => {
    const server = await startServer();
    const to = join(folder, "backups");
    mkdirSync(to);
    try {
      const original = Made.parse(JSON.parse((await waypost(["backup", "--to", to], server)).stdout));
      const copy = { data: join(folder, "restored") };
      await waypost(["restore", original.file], copy);

      const made = Made.parse(JSON.parse((await waypost(["backup", "--to", to, "--keep", "1"], copy)).stdout));

      const seriesOf = ({ file }: Made) => /waypost-([0-9a-f]{8})-/.exec(file)?.[1];
      expect([made.deleted, existsSync(original.file)]).toEqual([0, true]);
      expect(seriesOf(made)).not.toBe(seriesOf(original));
    } finally {
      await server.remove();
    }
  });
});
