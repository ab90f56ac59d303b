import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverEnvironment } from "../tests/support/server.ts";
import { closeAll, openApp } from "./app.ts";
import { openLog } from "./base/log.ts";
import { readConfig } from "./config.ts";
import { dataPaths } from "./data-paths.ts";

test("closeAll closes every part although some fail, and throws the first failure", async () => {
  const closed: string[] = [];
  const cleanups = [
    () => closed.push("database"),
    () => Promise.reject(new Error("pipeline")),
    () => closed.push("spool"),
    () => Promise.reject(new Error("counters")),
    () => closed.push("lookup"),
  ];

  const failure = await closeAll(cleanups).catch((error: Error) => error.message);

  expect({ closed, failure }).toEqual({ closed: ["lookup", "spool", "database"], failure: "counters" });
});

test("a click store that is removed while its process is paused is found missing when the process starts again", async () => {
  const data = mkdtempSync(join(tmpdir(), "waypost-test-"));
  const config = readConfig(serverEnvironment(data, {}));
  const app = await openApp(
    config,
    openLog("error", () => {}),
  );
  try {
    await app.pipeline.cursor("spool");
    await app.storeLosses.check();
    // Clicks of a spool that exists no more.
    const counted = { spoolId: "gone", part: 0, position: 1 };
    await app.db.insertInto("counterCursors").values(counted).execute();
    await app.pipeline.pauseIfIdle(0);
    rmSync(dataPaths(config).clicks);

    await app.pipeline.cursor("spool");
    await app.storeLosses.check();

    expect(app.storeLosses.current).toMatchObject([{ kind: "replaced" }]);
  } finally {
    await app.close();
    rmSync(data, { recursive: true });
  }
});
