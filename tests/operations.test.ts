import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { repository, waypost } from "./support/command.ts";
import {
  type Environment,
  eventually,
  ownerKey,
  serverEnvironment,
  startServer,
  type TestServer,
} from "./support/server.ts";
import { shell } from "./support/shell.ts";

const withoutBootstrap = {
  WAYPOST_BOOTSTRAP_EMAIL: "",
  WAYPOST_BOOTSTRAP_API_KEY: "",
  WAYPOST_BOOTSTRAP_PASSWORD: "",
};
const browser = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0" };

async function withServer(environment: Environment, use: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer(environment);
  try {
    await use(server);
  } finally {
    await server.remove();
  }
}

async function makeLink(server: TestServer, key: string): Promise<void> {
  const { status } = await server.call("POST", "/links", { body: { url: "https://example.com/there", key } });
  expect(status).toBe(200);
}

async function clicks(server: TestServer): Promise<unknown> {
  const { body } = await server.call("GET", "/analytics/clicks?interval=24h");
  return body;
}

describe("the first start on an empty folder", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(withoutBootstrap);
  });
  afterAll(() => server.remove());

  const printed = (pattern: RegExp) => pattern.exec(server.output())?.[1] ?? "";
  const setupLink = () => printed(/(http:\S+\/app\/setup\/\w+)/);
  const submit = (fields: Record<string, string>) =>
    fetch(setupLink(), { method: "POST", body: new URLSearchParams(fields) });

  test("prints a key and a curl line that makes a link", async () => {
    const line = printed(/^ {2}(curl .*\\\n.*)$/m);
    const { code, stdout } = await shell(line.replaceAll("curl ", "curl -s "));

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ key: "hello", url: "https://example.com" });
    expect(line).toContain(printed(/shown only now: {2}(wp_[0-9A-Za-z]{38})\n/));
    const visit = await server.visit("/hello");
    expect({ status: visit.status, location: visit.headers.get("location") }).toEqual({
      status: 302,
      location: "https://example.com/",
    });
  });

  test("prints a link whose form is shown again with what is wrong, and sets e-mail and password once", async () => {
    const form = await fetch(setupLink());
    const wrong = await submit({ email: '"><b>ann@example.com', password: "short" });
    const wrongPage = await wrong.text();
    const short = await submit({ email: "ann@example.com", password: "short" });
    const right = await submit({ email: "Ann@example.com", password: "correct horse battery" });
    const again = await submit({ email: "eve@example.com", password: "correct horse battery" });
    const closed = await fetch(setupLink());

    expect({ status: form.status, text: await form.text() }).toEqual({
      status: 200,
      text: expect.stringContaining('<input type="password" name="password" required minlength="10"'),
    });
    expect(wrong.status).toBe(422);
    expect(wrongPage).toContain('value="&quot;&gt;&lt;b&gt;ann@example.com"');
    expect(wrongPage).toContain("Your e-mail address must be one such as you@example.com.");
    expect(await short.text()).toContain("Your password must have 10 to 1000 characters.");
    expect({ status: right.status, text: await right.text() }).toEqual({
      status: 200,
      text: expect.stringContaining("Ann@example.com can sign in with this password, once the dashboard"),
    });
    expect([again.status, closed.status]).toEqual([404, 404]);
    expect(await closed.text()).toContain("This link is closed");
    const { stdout } = await waypost(["key", "list", "--email", "ann@example.com"], { data: server.data });
    expect(JSON.parse(stdout)).toMatchObject({ email: "ann@example.com", name: "First key" });
  });

  test("an unknown setup link is closed", async () => {
    const response = await fetch(`${server.url}/app/setup/${"x".repeat(40)}`);

    expect(response.status).toBe(404);
  });

  test("the second start prints no secret", async () => {
    await server.end("SIGTERM");
    server = await server.restart();

    expect(server.output()).toContain("Waypost is ready at http://localhost:");
    expect(server.output()).not.toContain("API key");
    expect(server.output()).not.toContain("setup");
  });
});

describe("the bootstrap options", () => {
  test("make the first user, workspace and key, and change nothing at the second start", async () => {
    const environment = { WAYPOST_BOOTSTRAP_WORKSPACE: "Acme", WAYPOST_URL: "http://localhost:3000" };
    await withServer(environment, async (server) => {
      const before = await server.call("GET", "/workspaces");
      await server.end("SIGTERM");
      const second = await server.restart({
        ...environment,
        WAYPOST_BOOTSTRAP_WORKSPACE: "Other",
        WAYPOST_BOOTSTRAP_EMAIL: "other@example.com",
        WAYPOST_BOOTSTRAP_API_KEY: "another_key_0123456789_abcdef",
      });
      const after = await second.call("GET", "/workspaces");
      const other = await second.call("GET", "/workspaces", { key: "another_key_0123456789_abcdef" });
      await second.end("SIGTERM");

      expect(before.body).toEqual({ workspaces: [expect.objectContaining({ id: 1, name: "Acme", role: "owner" })] });
      expect(after.body).toEqual(before.body);
      expect(other.status).toBe(401);
      expect(server.output() + second.output()).not.toContain(ownerKey);
    });
  });
});

describe("probes", () => {
  test("tell that the process lives and can serve", async () => {
    await withServer({}, async (server) => {
      const health = await fetch(`${server.url}/healthz`);
      const ready = await fetch(`${server.url}/readyz`);

      expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
      expect([ready.status, await ready.json()]).toEqual([200, { status: "ok", database: true, closing: false }]);
    });
  });
});

describe("metrics", () => {
  const token = "a-token-for-metrics";

  type Sample = { name: string; labels: string; value: number };

  /** The samples of a valid text; throws at the first line that is none. */
  function parse(text: string): Sample[] {
    const types = new Map<string, string>();
    const samples: Sample[] = [];
    for (const line of text.split("\n").filter((candidate) => candidate !== "")) {
      const type = /^# TYPE ([a-z_:][\w:]*) (counter|gauge|histogram|summary)$/.exec(line);
      if (type !== null) types.set(type[1] ?? "", type[2] ?? "");
      if (line.startsWith("# HELP ") || type !== null) continue;
      const sample = /^([a-z_:][\w:]*)(\{(?:\w+="(?:[^"\\\n]|\\.)*",?)*\})? (-?[\d.]+(?:e[+-]?\d+)?|NaN|[+-]Inf)$/.exec(
        line,
      );
      if (sample === null) throw new Error(`No line of Prometheus' text format: ${line}`);
      const [, name = "", labels = "", value] = sample;
      if (!types.has(name) && !types.has(name.replace(/_(bucket|sum|count)$/, ""))) throw new Error(`No type: ${line}`);
      samples.push({ name, labels, value: Number(value) });
    }
    return samples;
  }

  async function read(server: TestServer): Promise<(series: string) => number | undefined> {
    const response = await fetch(`${server.url}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
    const samples = parse(await response.text());
    expect(new Set(samples.map(({ name, labels }) => name + labels)).size).toBe(samples.length);
    return (series) => samples.find(({ name, labels }) => name + labels === series)?.value;
  }

  test("count requests, redirects and clicks on their way", async () => {
    await withServer({}, async (server) => {
      await makeLink(server, "hello");
      for (let visits = 0; visits < 3; visits++) await server.visit("/hello", { headers: browser });
      await server.visit("/unknown", { headers: browser });

      const metric = await eventually(
        () => read(server),
        (value) =>
          value("waypost_clicks_stored_total") === 3 &&
          value('waypost_spool_lag_bytes{reader="store"}') === 0 &&
          value('waypost_spool_lag_bytes{reader="counters"}') === 0,
      );

      expect(metric("waypost_clicks_captured_total")).toBe(3);
      expect(metric("waypost_clicks_dropped_total")).toBe(0);
      expect(metric("waypost_spool_bytes")).toBeGreaterThan(0);
      expect(metric('waypost_api_requests_total{operation="createLink",status="200"}')).toBe(1);
      expect(metric("waypost_api_request_seconds_count")).toBe(1);
      expect(metric('waypost_redirects_total{outcome="destination"}')).toBe(3);
      expect(metric('waypost_redirects_total{outcome="page"}')).toBe(1);
      expect(metric("waypost_redirect_seconds_count")).toBe(4);
      expect(metric('waypost_redirect_seconds_bucket{le="+Inf"}')).toBe(4);
      expect(metric("waypost_process_resident_memory_bytes")).toBeGreaterThan(0);
    });
  });

  test("are for the token alone where one is set, also on this machine", async () => {
    await withServer({ WAYPOST_METRICS_TOKEN: token }, async (server) => {
      const status = async (headers: Record<string, string>) =>
        (await fetch(`${server.url}/metrics`, { headers })).status;
      const proxied = { "X-Forwarded-For": "203.0.113.7" };

      expect(await status({})).toBe(403);
      expect(await status({ Authorization: `Bearer ${token}` })).toBe(200);
      expect(await status({ ...proxied, Authorization: `Bearer ${token}` })).toBe(200);
      expect(await status({ Authorization: `Bearer ${token}2` })).toBe(403);
      expect(await status({ Authorization: "Bearer" })).toBe(403);
      expect(await status({ Authorization: `Bearer ${ownerKey}` })).toBe(403);
    });
  });

  test("are for this machine where no token is set, not for what came through a proxy on it", async () => {
    await withServer({}, async (server) => {
      const status = async (headers: Record<string, string>) =>
        (await fetch(`${server.url}/metrics`, { headers })).status;

      expect(await status({})).toBe(200);
      expect(await status({ Authorization: "Bearer undefined", Via: "1.1 proxy" })).toBe(403);
      for (const name of [
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "X-Forwarded-Proto",
        "Forwarded",
        "Via",
        "X-Real-IP",
      ]) {
        expect([name, await status({ [name]: "203.0.113.7" })]).toEqual([name, 403]);
      }
    });
  });
});

describe("stopping", () => {
  const stopMaxMs = 10_000;

  /** A connection on which the test writes HTTP by hand. */
  async function open(server: TestServer): Promise<{ socket: Socket; received: () => string; closed: Promise<void> }> {
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(server.url).port) });
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    // Cut by the server at its end: no failure of the test.
    socket.on("error", () => {});
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
    await new Promise<void>((resolve) => socket.on("connect", () => resolve()));
    return { socket, received: () => text, closed };
  }

  const said = (server: TestServer, words: string) =>
    eventually(
      async () => server.output(),
      (output) => output.includes(words),
    );

  test("answers the requests under way, whatever else is connected, and ends with code 0 in time", async () => {
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
      // Answered on another connection, so that the server has surely read what was sent before.
      await server.call("GET", "/workspaces");

      const startedAt = performance.now();
      const ended = server.end("SIGTERM");
      await said(server, '"Stopping."');
      busy.socket.write(body.slice(10));
      const exit = await ended;

      expect(busy.received()).toStartWith("HTTP/1.1 200 ");
      expect(busy.received()).toContain('"key":"late"');
      expect(exit).toBe(0);
      expect(performance.now() - startedAt).toBeLessThan(stopMaxMs);
      await Promise.all([idle.closed, slow.closed]);
    });
  });

  test("waits no longer for a client that never sends the rest", async () => {
    await withServer({}, async (server) => {
      const { socket, closed } = await open(server);
      socket.write(
        `POST /v1/links HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ownerKey}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      );
      await server.call("GET", "/workspaces");

      const startedAt = performance.now();
      const exit = await server.end("SIGTERM");

      expect(exit).toBe(0);
      expect(performance.now() - startedAt).toBeLessThan(stopMaxMs);
      await closed;
    });
  });

  test("is quick where nobody is waiting, also with an idle connection open", async () => {
    await withServer({}, async (server) => {
      const { socket, received } = await open(server);
      socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await eventually(
        async () => received(),
        (text) => text.includes('{"status":"ok"}'),
      );

      const startedAt = performance.now();
      const exit = await server.end("SIGTERM");

      expect(exit).toBe(0);
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    });
  });

  test("moves the clicks into the store, and removes the admin socket", async () => {
    await withServer({}, async (server) => {
      await makeLink(server, "hello");
      await Promise.all(Array.from({ length: 50 }, () => server.visit("/hello", { headers: browser })));
      const exit = await server.end("SIGTERM");
      const left = ["admin.sock", "waypost.lock.pid"].filter((name) => existsSync(join(server.data, name)));
      const second = await server.restart();
      const report = await clicks(second);
      const metrics = await (await fetch(`${second.url}/metrics`)).text();
      await second.end("SIGTERM");

      expect(exit).toBe(0);
      expect(left).toEqual([]);
      expect(report).toMatchObject({ clicks: 50 });
      // The first server stored them all, so that there is nothing left for the second.
      expect(metrics).toContain("waypost_clicks_stored_total 0\n");
    });
  });

  for (const signals of [["SIGINT", "SIGINT"], ["SIGINT", "SIGTERM"], ["SIGHUP"]] as const) {
    test(`by ${signals.join(" and ")} is orderly`, async () => {
      await withServer({}, async (server) => {
        for (const signal of signals) server.process.kill(signal);

        expect(await server.process.exited).toBe(0);
        expect(server.output().match(/"Stopping\."/g)).toHaveLength(1);
        expect(server.output()).toContain('"Stopped."');
      });
    });
  }
});

describe("the launcher", () => {
  async function launch(data: string) {
    const child = Bun.spawn(["node", "bin/waypost.mjs", "serve"], {
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

  const isGone = async (url: string) => {
    try {
      await fetch(`${url}/healthz`);
      return false;
    } catch {
      return true;
    }
  };

  test("passes SIGTERM on to the server and ends with its code", async () => {
    await withServer({}, async (server) => {
      await server.end("SIGTERM");
      const { child, url } = await launch(server.data);
      child.kill("SIGTERM");

      expect(await child.exited).toBe(0);
      expect(await isGone(url)).toBe(true);
    });
  });

  test("leaves no server behind when it is killed", async () => {
    await withServer({}, async (server) => {
      await server.end("SIGTERM");
      const { child, url } = await launch(server.data);
      child.kill("SIGKILL");
      await child.exited;

      await eventually(() => isGone(url), Boolean);
    });
  });
});
