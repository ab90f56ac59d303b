/** A click store whose file is missing or replaced by an older copy, on real servers. */
import { describe, expect, test } from "bun:test";
import { copyFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { waypost } from "../support/command.ts";
import { metric, waitUntilDrained } from "../support/counted-once.ts";
import { engines } from "../support/databases.ts";
import { removeStore } from "../support/removed-store.ts";
import { browser, eventually, startServer, type TestServer } from "../support/server.ts";

const Findings = z.array(z.object({ check: z.string(), ok: z.boolean(), detail: z.string() }));

async function newServer(engine: (typeof engines)[number]): Promise<TestServer> {
  const server = await startServer({}, engine);
  await server.call("POST", "/links", { body: { url: "https://example.com/", key: "a" } });
  return server;
}

async function visit(server: TestServer, times: number): Promise<void> {
  for (let visit = 0; visit < times; visit++) {
    expect((await server.visit("/a", { headers: browser })).status).toBe(302);
  }
  await waitUntilDrained(server);
}

/** The result of `waypost doctor` for the click store. */
async function checkStore(server: TestServer) {
  const { stdout } = await waypost(["doctor", "--json"], server);
  return Findings.parse(JSON.parse(stdout)).find(({ check }) => check === "clicks");
}

async function losses(server: TestServer): Promise<number | undefined> {
  return (await metric(server, "waypost_store_losses"))[0];
}

async function clicksOf(server: TestServer): Promise<unknown> {
  return (await server.call("GET", "/analytics/clicks?interval=all")).body;
}

for (const engine of engines) {
  describe(engine, () => {
    test("a missing store is no loss while the spool still holds all clicks", async () => {
      const first = await newServer(engine);
      try {
        await visit(first, 5);
        await first.end("SIGTERM");
        removeStore(first);
        const stopped = await checkStore(first);

        const second = await first.restart();
        await waitUntilDrained(second);
        await eventually(
          () => clicksOf(second),
          (body) => (body as { clicks: number }).clicks === 5,
        );

        expect(stopped).toMatchObject({ ok: true });
        expect(await checkStore(second)).toMatchObject({ ok: true });
        expect((await second.call("GET", "/workspaces/1/click-losses")).body).toEqual([]);
        expect(await losses(second)).toBe(0);
      } finally {
        await first.remove();
      }
    }, 240_000);

    test("a missing store is reported everywhere until the loss is accepted, and the service continues", async () => {
      const first = await newServer(engine);
      try {
        await visit(first, 5);
        expect(await checkStore(first)).toMatchObject({ ok: true });
        await first.end("SIGTERM");
        // The spool is removed too: while it holds all clicks, none is missing.
        removeStore(first);
        rmSync(join(first.data, "spool"), { recursive: true });
        expect(await checkStore(first)).toMatchObject({ ok: false, detail: expect.stringContaining("is missing") });

        const second = await first.restart();
        await eventually(
          () => losses(second),
          (count) => count === 1,
        );
        expect((await second.visit("/readyz")).status).toBe(200);
        await visit(second, 2);
        expect(await clicksOf(second)).toMatchObject({ clicks: 2 });
        expect(second.output()).toContain("Stored clicks are missing: the click store is not the one");
        expect(await checkStore(second)).toMatchObject({ ok: false });
        const path = "/workspaces/1/click-losses";
        expect((await second.call("GET", path)).body).toMatchObject([{ kind: "stored", clicks: null }]);

        // The next start reports the loss again.
        await second.end("SIGTERM");
        expect(await checkStore(second)).toMatchObject({ ok: false });
        const third = await second.restart();
        await eventually(
          () => losses(third),
          (count) => count === 1,
        );
        expect(await waypost(["clicks", "accept-loss"], third)).toMatchObject({ code: 0 });
        await eventually(
          () => losses(third),
          (count) => count === 0,
        );
        expect(await checkStore(third)).toMatchObject({ ok: true });
        expect((await third.call("GET", path)).body).toEqual([]);
        await third.end("SIGTERM");
        expect(await checkStore(third)).toMatchObject({ ok: true });
        const fourth = await third.restart();
        expect(await clicksOf(fourth)).toMatchObject({ clicks: 2 });
        expect(await losses(fourth)).toBe(0);
      } finally {
        await first.remove();
      }
    }, 240_000);
  });
}

test("a store that returns is no longer a loss", async () => {
  const first = await newServer("sqlite");
  try {
    await visit(first, 3);
    await first.end("SIGTERM");
    const copy = join(first.data, "copy.duckdb");
    copyFileSync(join(first.data, "clicks.duckdb"), copy);
    removeStore(first);
    rmSync(join(first.data, "spool"), { recursive: true });
    const second = await first.restart();
    await eventually(
      () => losses(second),
      (count) => count === 1,
    );
    await second.end("SIGTERM");
    removeStore(second);
    copyFileSync(copy, join(first.data, "clicks.duckdb"));

    const third = await second.restart();
    await waitUntilDrained(third);

    expect(await clicksOf(third)).toMatchObject({ clicks: 3 });
    expect(await checkStore(third)).toMatchObject({ ok: true });
  } finally {
    await first.remove();
  }
}, 240_000);

test("a store of another service is refused by starts and doctor, and shown to nobody", async () => {
  const [first, other] = [await newServer("sqlite"), await newServer("sqlite")];
  try {
    await visit(first, 3);
    await visit(other, 5);
    for (const server of [first, other]) await server.end("SIGTERM");
    const own = join(first.data, "own.duckdb");
    const path = join(first.data, "clicks.duckdb");
    renameSync(path, own);
    copyFileSync(join(other.data, "clicks.duckdb"), path);
    const detail = `WAYPOST_DATA: ${path} has the clicks of another Waypost`;

    const start = await waypost(["serve"], first);
    const status = await checkStore(first);
    removeStore(first);
    renameSync(own, path);
    const second = await first.restart();

    expect(start).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(detail) });
    expect(status).toMatchObject({ ok: false, detail: expect.stringContaining(detail) });
    expect(await clicksOf(second)).toMatchObject({ clicks: 3 });
    expect(await losses(second)).toBe(0);
  } finally {
    for (const server of [first, other]) await server.remove();
  }
}, 240_000);

test("an older copy of the store catches up from the spool, and deleted segments are reported as a loss", async () => {
  // The smallest segments, so that the server deletes some.
  const first = await startServer({ WAYPOST_SPOOL_MAX_BYTES: String(1024 ** 2) });
  try {
    await first.call("POST", "/links", { body: { url: "https://example.com/", key: "a" } });
    await visit(first, 3);
    await first.end("SIGTERM");
    const copy = join(first.data, "copy.duckdb");
    copyFileSync(join(first.data, "clicks.duckdb"), copy);
    const second = await first.restart();
    const firstSegment = readdirSync(join(first.data, "spool")).find((name) => name.endsWith(".spool"));
    const isDeleted = () => !readdirSync(join(first.data, "spool")).includes(firstSegment ?? "");
    for (let round = 0; round < 60 && !isDeleted(); round++) {
      const visits = Array.from({ length: 100 }, (_, visit) =>
        second.visit(`/a?visit=${round}-${visit}-${"x".repeat(400)}`, { headers: browser }),
      );
      await Promise.all(visits);
      await waitUntilDrained(second);
    }
    await eventually(async () => isDeleted(), Boolean);
    await second.end("SIGTERM");
    removeStore(second);
    copyFileSync(copy, join(first.data, "clicks.duckdb"));

    const third = await second.restart();
    await waitUntilDrained(third);

    await eventually(
      () => losses(third),
      (count) => count === 1,
    );
    expect(await checkStore(third)).toMatchObject({ ok: false, detail: expect.stringContaining("is an older copy") });
  } finally {
    await first.remove();
  }
}, 240_000);
