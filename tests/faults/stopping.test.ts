import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { repository } from "../support/command.ts";
import { waitUntilDrained } from "../support/counted-once.ts";
import {
  browser,
  eventually,
  ownerKey,
  ownSession,
  serverEnvironment,
  type TestServer,
  withServer,
} from "../support/server.ts";
import { fillDisk, moveOntoDisk } from "../support/small-disk.ts";
import { stopUntilMoved } from "../support/stops.ts";

describe("stopping", () => {
  /** Logged for each step of the shutdown that timed out. */
  const timedOut = "A step of the shutdown timed out.";

  /** A connection on which the test writes HTTP by hand. */
  async function open(server: TestServer): Promise<{ socket: Socket; received: () => string; closed: Promise<void> }> {
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(server.url).port) });
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    // The server may reset the connection when it exits, which is no failure.
    socket.on("error", () => {});
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
    await new Promise<void>((resolve) => socket.on("connect", () => resolve()));
    return { socket, received: () => text, closed };
  }

  const logged = (server: TestServer, text: string) =>
    eventually(
      async () => server.output(),
      (output) => output.includes(text),
    );

  const outputAtEnd = async (server: TestServer) => await logged(server, '"Stopped."');

  test("answers running requests, with idle and slow connections open, and exits with 0 in time", async () => {
    await withServer({}, async (server) => {
      const body = JSON.stringify({ url: "https://example.com/late", key: "late" });
      const head = `POST /v1/links HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ownerKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      const idle = await open(server);
      idle.socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await eventually(
        async () => idle.received(),
        (text) => text.includes('{"status":"ok"}'),
      );
      const slow = await open(server);
      slow.socket.write("GET /healthz HTTP/1.1\r\nHost: local");
      const busy = await open(server);
      busy.socket.write(head + body.slice(0, 10));
      // An answer on another connection shows that the server has read the bytes sent before.
      await server.call("GET", "/workspaces");

      const ended = server.end("SIGTERM");
      await logged(server, '"Stopping."');
      busy.socket.write(body.slice(10));
      const exit = await ended;

      expect(busy.received()).toStartWith("HTTP/1.1 200 ");
      expect(busy.received()).toContain('"key":"late"');
      expect(exit).toBe(0);
      expect(await outputAtEnd(server)).not.toContain(timedOut);
      await Promise.all([idle.closed, slow.closed]);
    });
  });

  test("does not wait for a client that never sends the rest of its request", async () => {
    await withServer({}, async (server) => {
      const { socket, closed } = await open(server);
      socket.write(
        `POST /v1/links HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ownerKey}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      );
      await server.call("GET", "/workspaces");

      const exit = await server.end("SIGTERM");

      expect(exit).toBe(0);
      const lines = (await outputAtEnd(server)).split("\n").filter((line) => line.includes(timedOut));
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: "warn", step: "requests", seconds: 4 }]);
      await closed;
    });
  });

  test("does not wait for a timeout when there are no requests, even with an idle connection", async () => {
    await withServer({}, async (server) => {
      const { socket, received } = await open(server);
      socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await eventually(
        async () => received(),
        (text) => text.includes('{"status":"ok"}'),
      );

      const exit = await server.end("SIGTERM");

      expect(exit).toBe(0);
      expect(await outputAtEnd(server)).not.toContain(timedOut);
    });
  });

  test("moves the clicks into the store, and removes the admin socket", async () => {
    await withServer({}, async (first) => {
      await first.call("POST", "/links", { body: { url: "https://example.com/there", key: "hello" } });
      let clicks = 0;
      const stopped = await stopUntilMoved(first, async (server) => {
        await Promise.all(Array.from({ length: 50 }, () => server.visit("/hello", { headers: browser })));
        clicks += 50;
        expect(await server.end("SIGTERM")).toBe(0);
        const remaining = ["admin.sock", "waypost.lock.pid"].filter((name) => existsSync(join(server.data, name)));
        expect(remaining).toEqual([]);
      });

      const next = await stopped.restart();
      const report = await next.call("GET", "/analytics/clicks?interval=24h");
      const metrics = await (await fetch(`${next.url}/metrics`)).text();
      await next.end("SIGTERM");

      expect(report.body).toMatchObject({ clicks });
      // The previous server stored all clicks, so this one stores none.
      expect(metrics).toContain("waypost_clicks_stored_total 0\n");
    });
  });

  test("on a full disk exits with 0, logs what failed, and loses no click", async () => {
    await withServer({}, async (first) => {
      await first.call("POST", "/links", { body: { url: "https://example.com/there", key: "hello" } });
      await first.end("SIGTERM");
      const disk = moveOntoDisk(first.data, "64m");
      if (disk.kind === "refused") {
        console.info(`This machine cannot mount a small disk: ${disk.reason}`);
        return;
      }
      try {
        const server = await first.restart();
        await Promise.all(Array.from({ length: 50 }, () => server.visit("/hello", { headers: browser })));
        await waitUntilDrained(server);
        const filler = fillDisk(server.data, 0);

        // The click store cannot move its log into its file.
        const exit = await server.end("SIGTERM");
        filler.free();
        const next = await server.restart();
        const report = await next.call("GET", "/analytics/clicks?interval=24h");
        await next.end("SIGTERM");

        expect(exit).toBe(0);
        const failures = (await outputAtEnd(server)).split("\n").filter((line) => line.includes('"closing"'));
        expect(failures.map((line) => JSON.parse(line))).toMatchObject([
          {
            ...{ level: "error", message: "A step of the shutdown failed.", reason: "No space left on device" },
            hint: "The disk is full: free some space. Nothing else is needed.",
          },
        ]);
        expect(report.body).toMatchObject({ clicks: 50 });
      } finally {
        disk.unmount();
      }
    });
  });

  for (const signals of [["SIGINT", "SIGINT"], ["SIGINT", "SIGTERM"], ["SIGHUP"]] as const) {
    test(`on ${signals.join(" and ")} exits with 0, and is logged once`, async () => {
      await withServer({}, async (server) => {
        for (const signal of signals) server.process.kill(signal);

        expect(await server.process.exited).toBe(0);
        await logged(server, '"Stopped."');
        expect(server.output().match(/"Stopping\."/g)).toHaveLength(1);
      });
    });
  }
});

describe("the launcher", () => {
  async function launch(data: string) {
    const child = Bun.spawn(["node", "bin/waypost.mjs", "serve"], {
      ...ownSession,
      cwd: repository,
      env: serverEnvironment(data, {}),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    });
    let text = "";
    for await (const chunk of child.stdout) {
      text += new TextDecoder().decode(chunk);
      const port = /\(port (\d+)\)/.exec(text)?.[1];
      if (port !== undefined) return { child, url: `http://127.0.0.1:${port}` };
    }
    throw new Error(`The launcher ended: ${text}`);
  }

  const isUnreachable = async (url: string) => {
    try {
      await fetch(`${url}/healthz`);
      return false;
    } catch {
      return true;
    }
  };

  test("forwards SIGTERM to the server and exits with its code", async () => {
    await withServer({}, async (server) => {
      await server.end("SIGTERM");
      const { child, url } = await launch(server.data);
      child.kill("SIGTERM");

      expect(await child.exited).toBe(0);
      expect(await isUnreachable(url)).toBe(true);
    });
  });

  test("leaves no server running when it is killed", async () => {
    await withServer({}, async (server) => {
      await server.end("SIGTERM");
      const { child, url } = await launch(server.data);
      child.kill("SIGKILL");
      await child.exited;

      await eventually(() => isUnreachable(url), Boolean);
    });
  });
});
