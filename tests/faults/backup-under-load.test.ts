/** A backup of a busy server, with a redirect worker. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  backupKeys,
  createBackupLinks,
  expectNoCopies,
  newDatabaseEnvironment,
  withBackupFolder,
} from "../support/backup-folders.ts";
import { seededRandom } from "../support/clicks.ts";
import { waypost } from "../support/command.ts";
import { waitUntilDrained } from "../support/counted-once.ts";
import { engines } from "../support/databases.ts";
import { Visitors } from "../support/load.ts";
import { eventually, programCommand, startOn, startServer } from "../support/server.ts";
import { storedClicks } from "../support/stored-clicks.ts";

const seed = Number(process.env["SEED"] ?? 20261124);
/** Visits that were answered before the backup begins. */
const visitsBefore = 400;

for (const engine of engines) {
  test(`a backup made under load, also of a redirect worker, on ${engine}, restores each click answered before it once`, async () => {
    await withBackupFolder(async (folder) => {
      const server = await startServer({ WAYPOST_WORKERS: "1" }, engine);
      const restored = mkdtempSync(join(tmpdir(), "waypost-restored-"));
      try {
        await createBackupLinks(server);
        const random = seededRandom(seed);
        const visitors = new Visitors({ keys: backupKeys, connections: 4, address: "198.51.100.7", random });
        visitors.start(server.url);
        let isWriting = true;
        const writes = (async () => {
          for (let turn = 0; isWriting; turn++) {
            const body = { url: `https://example.com/new/${turn}`, key: `new-${turn}` };
            await server.call("POST", "/links", { body });
            await server.call("PATCH", `/links/ext_missing`, { body: { comments: `${turn}` } });
          }
        })();
        await eventually(
          () => Promise.resolve(visitors.answered.size),
          (answered) => answered >= visitsBefore,
        );
        const before = new Set(visitors.answered.keys());
        const file = join(folder, "backup.tar.zst");
        const made = await waypost(["backup", file], server);
        isWriting = false;
        await writes;
        await visitors.stop();
        await expectNoCopies(server);
        await server.end("SIGKILL");

        expect(made).toMatchObject({ code: 0 });
        expect(statSync(file).mode & 0o777).toBe(0o600);
        const environment = await newDatabaseEnvironment(engine);
        expect(await waypost(["backup", "verify", file], { data: restored })).toMatchObject({ code: 0 });
        expect(await waypost(["restore", file], { data: restored, environment })).toMatchObject({ code: 0 });
        const again = await startOn(restored, programCommand("serve"), environment);
        await waitUntilDrained(again);
        const verified = await waypost(["clicks", "verify"], { data: restored, environment });
        expect(verified).toMatchObject({ code: 0 });
        expect(await again.end("SIGTERM")).toBe(0);
        const stored = await storedClicks(again);
        const tokens = new Set(stored.map(({ token }) => token));
        expect({
          seed,
          missing: [...before].filter((token) => !tokens.has(token)),
          doubles: stored.length - tokens.size,
          unrequested: [...tokens].filter((token) => !visitors.answered.has(token) && !visitors.unanswered.has(token)),
        }).toEqual({ seed, missing: [], doubles: 0, unrequested: [] });
        expect(before.size).toBeGreaterThanOrEqual(visitsBefore);
      } finally {
        await server.remove();
        rmSync(restored, { recursive: true, force: true });
      }
    });
  }, 300_000);
}
