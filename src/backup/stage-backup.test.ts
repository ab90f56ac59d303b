import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverEnvironment } from "../../tests/support/server.ts";
import { captured, plainClick } from "../../tests/support/spools.ts";
import { bootstrap } from "../access/bootstrap.ts";
import { type App, openApp } from "../app.ts";
import { openLog } from "../base/log.ts";
import type { CopyStore, WrittenCopy } from "../clicks/store-copy.ts";
import { readConfig } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { drain } from "../spools/read-each.ts";
import { type StagePhase, withStagedBackup } from "./stage-backup.ts";

let data: string;
let app: App;

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), "waypost-stage-"));
  app = await openApp(readConfig(serverEnvironment(data, {})), openLog("error"));
});
afterAll(async () => {
  await app.close();
  rmSync(data, { recursive: true, force: true });
});

function begin(signal: AbortSignal) {
  const phases: StagePhase[] = [];
  const options = { includesSecret: false, signal, onPhase: (phase: StagePhase) => phases.push(phase) };
  return { phases, made: withStagedBackup(app, options, async ({ manifest }) => manifest.database.engine) };
}

test("a backup whose client leaves while it waits copies nothing, and lets the next one begin", async () => {
  const folder = dataPaths(app.config).backup;
  const removal = Promise.withResolvers<void>();
  const removing = app.removalsLock.shared(() => removal.promise);
  const leaving = new AbortController();
  const { signal } = new AbortController();

  const left = begin(leaving.signal);
  // While a backup refuses others, its folder exists.
  const isThereAtOnce = existsSync(folder);
  const refused = await begin(signal).made.catch(String);
  leaving.abort(new Error("The client has left."));
  removal.resolve();
  await removing;
  const reason = await left.made.catch(String);
  const isThereAfter = existsSync(folder);
  const next = await begin(signal).made;

  expect({ isThereAtOnce, isThereAfter, reason, phases: left.phases, next }).toEqual({
    ...{ isThereAtOnce: true, isThereAfter: false },
    ...{ reason: "Error: The client has left.", phases: [], next: "sqlite" },
  });
  expect(refused).toContain("it waits until no clicks are removed");
});

test("a backup whose command hangs is ended after the longest time, and lets the next one begin", async () => {
  const folder = dataPaths(app.config).backup;
  const { signal } = new AbortController();
  const options = { includesSecret: false, signal, onPhase() {}, timeMaxMs: 1 };

  const reason = await withStagedBackup(app, options, async (_, ending) => {
    if (!ending.aborted) await once(ending, "abort");
    ending.throwIfAborted();
  }).catch(String);
  const isThereAfter = existsSync(folder);
  const next = await begin(signal).made;

  expect({ reason, isThereAfter, next }).toMatchObject({
    ...{ reason: expect.stringContaining("took longer than 12 hours"), isThereAfter: false, next: "sqlite" },
  });
});

test("a backup that fails while the store is copied aborts the copy before its folder is removed", async () => {
  const folder = dataPaths(app.config).backup;
  const { signal } = new AbortController();
  const options = { includesSecret: false, signal, onPhase() {} };
  const { spools } = await withStagedBackup(app, options, async ({ manifest }) => manifest);
  let isThereAtAbort: boolean | undefined;
  const copyTo: CopyStore = async (_, aborting) => {
    const written = Promise.withResolvers<WrittenCopy>();
    aborting.addEventListener("abort", () => {
      isThereAtAbort = existsSync(folder);
      written.reject(aborting.reason);
    });
    // Cursors after the ends of the spools make the backup fail.
    const cursors = Object.fromEntries(spools.map(({ id, to }) => [id, to + 1]));
    return { cursors, written: written.promise };
  };

  const failing = { ...app, pipeline: { ...app.pipeline, copyTo } };
  const reason = await withStagedBackup(failing, options, async () => "made").catch(String);

  expect(reason).toContain("is outside the copied spool");
  expect({ isThereAtAbort, isThereAfter: existsSync(folder) }).toEqual({ isThereAtAbort: true, isThereAfter: false });
});

test("a service whose first clicks came during a backup starts from it", async () => {
  const used = mkdtempSync(join(tmpdir(), "waypost-stage-"));
  const restored = mkdtempSync(join(tmpdir(), "waypost-stage-"));
  const usedApp = await openApp(readConfig(serverEnvironment(used, {})), openLog("error"));
  await bootstrap(usedApp, {
    email: "owner@example.com",
    apiKey: undefined,
    password: undefined,
    workspace: undefined,
  });
  const { signal } = new AbortController();
  // The database has been copied.
  const copyTo: CopyStore = async (...request) => {
    usedApp.spools.own.append(captured(plainClick(1)));
    await new Promise<void>((resolve) => usedApp.spools.own.afterTick(resolve));
    await drain(usedApp, signal);
    return await usedApp.pipeline.copyTo(...request);
  };

  const deps = { ...usedApp, pipeline: { ...usedApp.pipeline, copyTo } };
  await withStagedBackup(deps, { includesSecret: true, signal, onPhase() {} }, async ({ folder }) =>
    cpSync(folder, restored, { recursive: true }),
  );
  await usedApp.close();
  const app = await openApp(readConfig(serverEnvironment(restored, {})), openLog("error"));
  await app.storeLosses.check();

  expect(app.storeLosses.current).toEqual([]);
  await app.close();
  for (const folder of [used, restored]) rmSync(folder, { recursive: true });
});
