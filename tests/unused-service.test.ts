import { Database as SqliteFile } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { waypost } from "./support/command.ts";
import { browser, eventually, startServer, type TestService } from "./support/server.ts";
import { withService } from "./support/service.ts";

/** Waits until each background task has run at least once. */
async function eachTaskHasRun(service: Pick<TestService, "url">): Promise<void> {
  await eventually(
    async () => String(await (await fetch(`${service.url}/metrics`)).text()),
    (text) => text.includes("waypost_domains{"),
  );
}

test("the click store's process starts with the first click", async () => {
  await withService({}, async (service) => {
    const store = join(service.data, "clicks.duckdb");
    await service.call("POST", "/links", { body: { url: "https://example.com", key: "first" } });
    await eachTaskHasRun(service);
    const before = existsSync(store);

    await service.visit("/first", { headers: browser });
    const { body } = await eventually(
      () => service.call("GET", "/analytics?event=clicks&groupBy=count"),
      ({ body }) => JSON.stringify(body).includes('"clicks":1'),
    );

    expect({ before, after: existsSync(store), body }).toMatchObject({
      before: false,
      after: true,
      body: { clicks: 1 },
    });
  });
});

test("doctor on an unused service does not create the click store", async () => {
  const server = await startServer();
  try {
    const { stdout } = await waypost(["doctor"], server);

    expect(stdout).toContain("ok    clicks: will be created with the first click\n");
    expect(existsSync(join(server.data, "clicks.duckdb"))).toBe(false);
  } finally {
    await server.remove();
  }
});

/** The threads of a process with the priority of the counters' thread, the lowest. */
function lowestThreads(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).filter((id) => {
    // The fields after the name, which may contain spaces: the 17th is the nice value.
    const fields = readFileSync(`/proc/${pid}/task/${id}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return fields[16] === "19";
  });
}

// Only Linux has priorities per thread.
test.skipIf(process.platform !== "linux")("the counters' thread starts with the first write", async () => {
  const server = await startServer();
  try {
    await eachTaskHasRun(server);
    const before = lowestThreads(server.process.pid);

    await server.call("POST", "/links", { body: { url: "https://example.com", key: "first" } });
    const after = await eventually(
      async () => lowestThreads(server.process.pid),
      (threads) => threads.length > 0,
    );

    expect(before).toEqual([]);
    expect(after).not.toEqual([]);
  } finally {
    await server.remove();
  }
});

test("clicks that were not counted before a kill are counted after the start, without another visit", async () => {
  const server = await startServer();
  try {
    await server.call("POST", "/links", { body: { url: "https://example.com", key: "first" } });
    await server.visit("/first", { headers: browser });
    await server.end("SIGKILL");
    // As if the kill had come before the click was counted.
    const file = new SqliteFile(join(server.data, "waypost.sqlite"));
    file.run('DELETE FROM "counterCursors"');
    file.run('UPDATE "links" SET "clicks" = 0');
    file.close();

    const restarted = await server.restart();
    const { body } = await eventually(
      () => restarted.call("GET", "/links/info?domain=localhost&key=first"),
      ({ body }) => Object(body).clicks !== 0,
    );

    expect(body).toMatchObject({ clicks: 1 });
    await restarted.end("SIGTERM");
  } finally {
    await server.remove();
  }
});
