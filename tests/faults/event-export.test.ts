/** Exports that end early: the service stops, or its disk fails. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ExportWorld, exportMsMax, lengthIn, openExportWorld } from "../support/export-world.ts";
import { compileFaults } from "../support/failing-writes.ts";
import { eventually } from "../support/server.ts";

const inputOutputError = 5;

let world: ExportWorld;

beforeAll(async () => {
  world = await openExportWorld();
}, exportMsMax);
afterAll(() => world.server.remove());

describe("an export when the service stops", () => {
  test(
    "ends without its last chunk, so that it never seems complete",
    async () => {
      const address = new URL(world.server.url);
      const bytes: Buffer[] = [];
      const client = connect(Number(address.port), address.hostname);
      const ended = new Promise<void>((resolve) => client.on("close", () => resolve()).on("error", () => {}));
      const started = new Promise<void>((resolve) => client.once("readable", () => resolve()));
      client.write(
        `GET /v1/events/export?start=2026-06-01&end=2026-06-04 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.manyKey}\r\n\r\n`,
      );
      await started;

      const stopped = world.server.end("SIGTERM");
      await stopped;
      client.on("data", (part: Buffer) => bytes.push(part));
      await ended;
      world.server = await world.server.restart();

      const answer = Buffer.concat(bytes).toString("latin1");
      expect(answer).toStartWith("HTTP/1.1 200");
      expect(answer).not.toEndWith("0\r\n\r\n");
      await world.expectNoFiles();
    },
    exportMsMax,
  );

  test(
    "is shorter than its length for an HTTP/1.0 client",
    async () => {
      const [head, body] = await world.askHttp10("start=2026-06-01&end=2026-06-04&bots=include&format=jsonl", () =>
        world.server.end("SIGTERM"),
      );
      world.server = await world.server.restart();

      expect(lengthIn(head)).toBeGreaterThan(10_000_000);
      expect(body.length).toBeLessThan(lengthIn(head));
      await world.expectNoFiles();
    },
    exportMsMax,
  );
});

describe("an export that fails", () => {
  test(
    "before its first byte is refused with 503",
    async () => {
      const tools = mkdtempSync(join(tmpdir(), "waypost-export-"));
      const library = compileFaults(tools);
      if (library.kind === "refused") {
        console.info(`This machine cannot simulate a disk fault: ${library.reason}`);
        return;
      }
      const failing = library.below(join(world.server.data, "exports"));
      world.server = await world.server.restart(failing.environment);

      failing.begin(inputOutputError, 1_000);
      const refused = await world.ask("start=2026-06-01&end=2026-06-04&bots=include&format=parquet");
      failing.end();
      const complete = await world.ask("start=2026-06-01&end=2026-06-04&bots=include&format=parquet");

      expect(refused.status).toBe(503);
      expect(await refused.json()).toMatchObject({ error: { code: "unavailable" } });
      expect(complete.status).toBe(200);
      await complete.arrayBuffer();
      world.server = await world.server.restart({});
      rmSync(tools, { recursive: true });
    },
    exportMsMax,
  );

  test(
    "after its first byte makes curl exit with its code for a partial response",
    async () => {
      const curl = Bun.which("curl");
      if (curl === null) {
        console.info("This machine has no curl.");
        return;
      }
      const path = join(world.server.data, "cut-off.csv");
      const args = [
        "--silent",
        "--limit-rate",
        "10M",
        "--output",
        path,
        "-H",
        `Authorization: Bearer ${world.manyKey}`,
      ];
      const client = Bun.spawn([curl, ...args, `${world.server.url}/v1/events/export?start=2026-06-01&end=2026-06-04`]);
      await eventually(
        async () => existsSync(path) && statSync(path).size > 0,
        (hasStarted) => hasStarted,
        exportMsMax,
      );
      // Paused, so that curl has not received everything before the service stops.
      client.kill("SIGSTOP");

      await world.server.end("SIGTERM");
      client.kill("SIGCONT");

      const cutOff = 18;
      expect(await client.exited).toBe(cutOff);
      world.server = await world.server.restart();
    },
    exportMsMax,
  );
});
