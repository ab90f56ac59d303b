import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PNG } from "pngjs";
import { waypost } from "./support/command.ts";
import {
  browser,
  eventually,
  ownerKey,
  startServer,
  type TestServer,
  type TestService,
  withServer,
} from "./support/server.ts";
import { startService, withService } from "./support/service.ts";
import { shell } from "./support/shell.ts";

const withoutBootstrap = {
  WAYPOST_BOOTSTRAP_EMAIL: "",
  WAYPOST_BOOTSTRAP_API_KEY: "",
  WAYPOST_BOOTSTRAP_PASSWORD: "",
};

async function makeLink(server: TestService, key: string): Promise<void> {
  const { status } = await server.call("POST", "/links", { body: { url: "https://example.com/there", key } });
  expect(status).toBe(200);
}

describe("the first start on an empty folder", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(withoutBootstrap);
    // Printed after the line that reports the server as ready.
    await eventually(
      async () => setupLink(),
      (link) => link !== "",
    );
  });
  afterAll(() => server.remove());

  const printed = (pattern: RegExp) => pattern.exec(server.output())?.[1] ?? "";
  const setupLink = () => printed(/(http:\S+\/app\/setup\/\w+)/);
  const submit = (fields: Record<string, string>) =>
    fetch(setupLink(), { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });

  test("prints a key and a curl command that creates a link", async () => {
    const line = printed(/^ {2}(curl .*\\\n.*)$/m);
    const { code, stdout } = await shell(line.replaceAll("curl ", "curl -s "));

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ key: "hello", url: "https://example.com" });
    expect(line).toContain(printed(/shown only once\): {2}(wp_[0-9A-Za-z]{38})\n/));
    const visit = await server.visit("/hello");
    expect({ status: visit.status, location: visit.headers.get("location") }).toEqual({
      status: 302,
      location: "https://example.com/",
    });
  });

  test("prints a link to a form that shows errors, and sets name, e-mail and password once", async () => {
    const form = await fetch(setupLink());
    const wrong = await submit({ email: '"><b>ann@example.com', password: "short" });
    const wrongPage = await wrong.text();
    const short = await submit({ email: "ann@example.com", password: "short" });
    const long = await submit({ name: "n".repeat(191), email: "ann@example.com", password: "correct horse battery" });
    const longPage = await long.text();
    const right = await submit({ name: " Ann Lee ", email: "Ann@example.com", password: "correct horse battery" });
    const again = await submit({ email: "eve@example.com", password: "correct horse battery" });
    const closed = await fetch(setupLink());

    expect({ status: form.status, text: await form.text() }).toEqual({
      status: 200,
      text: expect.stringContaining('<input type="password" name="password" required minlength="10"'),
    });
    expect(wrong.status).toBe(422);
    expect(wrongPage).toContain('value="&quot;&gt;&lt;b&gt;ann@example.com"');
    expect(wrongPage).toContain("Enter a valid e-mail address, such as you@example.com.");
    expect(await short.text()).toContain("Enter a password with 10 to 1000 characters.");
    expect(long.status).toBe(422);
    expect(longPage).toContain("Enter a name with 1 to 190 characters.");
    expect(longPage).toContain('value="ann@example.com"');
    expect([right.status, right.headers.get("location")]).toEqual([303, "/app"]);
    expect(right.headers.get("set-cookie")).toMatch(/^waypost_session=\w{40}; Path=\/app; .*HttpOnly/);
    expect([again.status, closed.status]).toEqual([404, 404]);
    expect(await closed.text()).toContain("This link is no longer valid");
    const key = printed(/shown only once\): {2}(wp_[0-9A-Za-z]{38})\n/);
    expect((await server.call("GET", "/user", { key })).body).toMatchObject({
      name: "Ann Lee",
      email: "ann@example.com",
    });
    const { stdout } = await waypost(["key", "list", "--email", "ann@example.com", "--json"], { data: server.data });
    expect(JSON.parse(stdout)).toMatchObject([{ email: "ann@example.com", name: "First key" }]);
  });

  test("an unknown setup link is 404", async () => {
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
  test("create the first user, workspace and key, and change nothing at the second start", async () => {
    // A key of any form is accepted, also the form of generated keys without a valid checksum.
    const key = `wp_${"0".repeat(38)}`;
    const environment = {
      ...{ WAYPOST_BOOTSTRAP_WORKSPACE: "Acme", WAYPOST_BOOTSTRAP_API_KEY: key },
      WAYPOST_URL: "http://localhost:3000",
    };
    await withServer(environment, async (server) => {
      const before = await server.call("GET", "/workspaces", { key });
      const mistyped = await server.call("GET", "/workspaces", { key: `wp_${"1".repeat(38)}` });
      await server.end("SIGTERM");
      const second = await server.restart({
        ...environment,
        WAYPOST_BOOTSTRAP_WORKSPACE: "Other",
        WAYPOST_BOOTSTRAP_EMAIL: "other@example.com",
        WAYPOST_BOOTSTRAP_API_KEY: "another_key_0123456789_abcdef",
      });
      const after = await second.call("GET", "/workspaces", { key });
      const other = await second.call("GET", "/workspaces", { key: "another_key_0123456789_abcdef" });
      await second.end("SIGTERM");

      expect(before.body).toEqual({ workspaces: [expect.objectContaining({ id: 1, name: "Acme", role: "owner" })] });
      expect(after.body).toEqual(before.body);
      expect([mistyped.status, JSON.stringify(mistyped.body)]).toEqual([401, expect.stringContaining("checksum")]);
      expect(other.status).toBe(401);
      expect(server.output() + second.output()).not.toContain(key);
    });
  });
});

describe("a server without options", () => {
  let server: TestService;
  beforeAll(async () => {
    server = await startService();
  });
  afterAll(() => server.remove());

  test("belongs to the app on every host", async () => {
    expect((await server.visit("/app", { host: "unknown.example" })).status).toBe(200);
  });

  test("has probes, which report that the process lives and can serve", async () => {
    const health = await fetch(`${server.url}/healthz`);
    const ready = await fetch(`${server.url}/readyz`);

    expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
    expect([ready.status, await ready.json()]).toEqual([200, { status: "ok", database: true, closing: false }]);
  });

  test("has an icon for browsers and pages that is cacheable and whose path cannot be a key", async () => {
    const ico = await fetch(`${server.url}/favicon.ico`);
    const svg = await fetch(`${server.url}/app/icon.svg`);
    const key = await server.call("POST", "/links", { body: { url: "https://example.com/", key: "favicon.ico" } });

    // After the header of 6 bytes and the entry of 16; the last 4 bytes of the entry are the offset of the image.
    const { width, height, data } = PNG.sync.read(Buffer.from((await ico.arrayBuffer()).slice(22)));
    const pixel = (x: number, y: number) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
    expect([ico.status, ico.headers.get("content-type"), width, height]).toEqual([200, "image/x-icon", 32, 32]);
    expect([pixel(0, 0)[3], pixel(16, 3), pixel(12, 16)]).toEqual([0, [0x1d, 0x4e, 0xd8, 255], Array(4).fill(255)]);
    expect([svg.status, svg.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    expect(await svg.text()).toStartWith("<svg ");
    for (const { headers } of [ico, svg]) expect(headers.get("cache-control")).toBe("public, max-age=86400");
    expect(key.status).toBeGreaterThanOrEqual(400);
  });

  test("serves metrics to this machine only, and not to requests through a proxy on it", async () => {
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${server.url}/metrics`, { headers })).status;

    expect(await status({})).toBe(200);
    expect(await status({ Authorization: "Bearer undefined", Via: "1.1 proxy" })).toBe(403);
    for (const name of ["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "Via", "X-Real-IP"]) {
      expect([name, await status({ [name]: "203.0.113.7" })]).toEqual([name, 403]);
    }
  });
});

describe("a drain", () => {
  for (const workers of process.platform === "linux" ? ["0", "1"] : ["0"]) {
    test(`with ${workers} redirect workers, makes /readyz 503 while requests are answered, and then ends`, async () => {
      await withServer({ WAYPOST_WORKERS: workers, WAYPOST_DRAIN_SECONDS: "2" }, async (server) => {
        const created = await server.call("POST", "/links", { body: { url: "https://example.com/", key: "go" } });
        const ended = server.end("SIGTERM");

        const { body } = await eventually(
          async () => {
            const response = await fetch(`${server.url}/readyz`);
            return { status: response.status, body: await response.json() };
          },
          ({ status }) => status === 503,
        );
        const [visit, call] = [await server.visit("/go"), await server.call("GET", "/workspaces")];

        expect([created.status, visit.status, call.status]).toEqual([200, 302, 200]);
        expect(body).toEqual({ status: "unavailable", database: true, closing: true });
        expect(await ended).toBe(0);
      });
    });
  }
});

describe("metrics", () => {
  const token = "a-token-for-metrics";

  type Sample = { name: string; labels: string; value: number };

  /** Parses the samples of a valid text; throws at the first invalid line. */
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

  async function read(server: TestService): Promise<(series: string) => number | undefined> {
    const response = await fetch(`${server.url}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
    const samples = parse(await response.text());
    expect(new Set(samples.map(({ name, labels }) => name + labels)).size).toBe(samples.length);
    return (series) => samples.find(({ name, labels }) => name + labels === series)?.value;
  }

  test("count requests, redirects and clicks on their way", async () => {
    await withService({}, async (server) => {
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

  test("require the token if one is set, even on this machine", async () => {
    await withService({ WAYPOST_METRICS_TOKEN: token }, async (server) => {
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
});
