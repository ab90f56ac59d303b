import { expect, test } from "bun:test";
import { mkdtempSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waypost } from "../support/command.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { browser, eventually, programCommand, startOn } from "../support/server.ts";
import { createPostgresDatabase } from "../support/templates.ts";
import { openClickHouse } from "./clickhouse.ts";

test.each(["worker-1", "detached"])(
  "the spools of a dead node are adopted with the one in the folder %s, and not while the node runs",
  async (inner) => {
    const [postgres, clickHouse] = await Promise.all([sharedPostgres(), openClickHouse()]);
    const environment = {
      WAYPOST_DATABASE_URL: await createPostgresDatabase(postgres),
      WAYPOST_CLICKS_URL: await clickHouse.createDatabase(),
      WAYPOST_CLICKS_INTERVAL_MS: "250",
      WAYPOST_SECRET: "a-secret-of-all-nodes-with-32-characters",
    };
    const start = (changes = {}) =>
      startOn(mkdtempSync(join(tmpdir(), "waypost-node-")), programCommand("serve"), { ...environment, ...changes });
    const first = await start();
    const dead = await start({ WAYPOST_CLICKS_INTERVAL_MS: "60000", WAYPOST_WORKERS: "1" });
    const created = await first.call("POST", "/links", { body: { url: "https://target.example/", key: "go" } });
    await eventually(
      () => dead.visit("/go", { headers: { ...browser, Purpose: "prefetch" } }),
      ({ status }) => status === 302,
    );
    for (let click = 0; click < 9; click++) await dead.visit("/go", { headers: browser });
    await first.end("SIGTERM");

    const early = await waypost(["spool", "adopt", dead.data], first);
    await dead.end("SIGKILL");
    const spool = join(dead.data, "spool");
    if (inner !== "worker-1") renameSync(join(spool, "worker-1"), join(spool, inner));
    const adopted = await waypost(["spool", "adopt", dead.data], first);
    const again = await first.restart();

    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining("The node of this spool runs") });
    expect(adopted.stdout.trim().split("\n")).toHaveLength(2);
    await eventually(
      () => again.call("GET", `/links/${Object(created.body).id}`),
      ({ body }) => Object(body).clicks === 9,
    );
    for (const server of [again, dead]) await server.remove();
    await Promise.all([postgres.stop(), clickHouse.stop()]);
  },
);
