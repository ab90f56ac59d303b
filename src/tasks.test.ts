import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverEnvironment } from "../tests/support/server.ts";
import { openApp } from "./app.ts";
import { openLog } from "./base/log.ts";
import { readConfig } from "./config.ts";
import { Node } from "./nodes/node.ts";
import { startTasks } from "./tasks.ts";

/** TABLE of nodes: whether the node leads, so that it runs the tasks that one node runs for all. */
const nodes = [
  { leads: true, node: new Node("node_a", { lead: async () => 1 }) },
  { leads: false, node: new Node("node_b", { lead: async () => undefined }) },
];

test.each(nodes)("the idle process of the click store ends on each node; leads: $leads", async ({ node }) => {
  const data = mkdtempSync(join(tmpdir(), "waypost-test-"));
  const log = openLog("error", () => {});
  const app = await openApp(readConfig(serverEnvironment(data, {})), log);
  const asked = Promise.withResolvers<"asked">();
  const pipeline = {
    ...app.pipeline,
    async pauseIfIdle() {
      asked.resolve("asked");
    },
  };

  const tasks = startTasks({ ...app, node, pipeline });
  const answer = await asked.promise;
  await tasks.stop();
  await app.close();
  rmSync(data, { recursive: true });

  expect(answer).toBe("asked");
});
