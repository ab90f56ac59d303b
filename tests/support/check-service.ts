import { eventually } from "./server.ts";

/** How to start Waypost: command, working folder and data folder; `probe` is a health check to run besides. */
type Start = { command: string[]; cwd: string; data: string; probe?: string[] };

const stopMsMax = 10_000;
const key = "check_service_0123456789_abcdef";
const agent = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0" };

/**
 * Starts Waypost as it is installed, with an empty data folder, and checks a link, its redirect, its click, the
 * dashboard, the health check and the stop. Throws Error with the first difference.
 */
export async function checkService({ command, cwd, data, probe }: Start): Promise<void> {
  const child = Bun.spawn(command, {
    cwd,
    env: {
      ...environmentWithoutOptions(),
      WAYPOST_DATA: data,
      WAYPOST_PORT: "0",
      WAYPOST_HOST: "127.0.0.1",
      WAYPOST_RESOLVERS: "127.0.0.1:9",
      WAYPOST_BOOTSTRAP_EMAIL: "owner@example.com",
      WAYPOST_BOOTSTRAP_API_KEY: key,
    },
    stdout: "pipe",
    stderr: "inherit",
  });
  try {
    const port = await portOf(child.stdout);
    await visit(`http://localhost:${port}`);
    if (probe !== undefined) await run(probe, cwd, { WAYPOST_PORT: port });
    const startedAt = performance.now();
    child.kill("SIGTERM");
    expectEqual("exit code", await child.exited, 0);
    if (performance.now() - startedAt > stopMsMax) throw new Error("The stop took too long.");
  } finally {
    child.kill("SIGKILL");
  }
}

async function visit(url: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ url: "https://example.com/there", key: "there" });
  expectEqual("link", (await fetch(`${url}/v1/links`, { method: "POST", headers, body })).status, 200);
  const visited = await fetch(`${url}/there`, { headers: agent, redirect: "manual" });
  expectEqual("redirect", visited.headers.get("location"), "https://example.com/there");
  await eventually(
    async () => await (await fetch(`${url}/v1/analytics/clicks?interval=24h`, { headers })).text(),
    (text) => text.includes('"clicks":1'),
  );
  const dashboard = await (await fetch(`${url}/app`)).text();
  const [script = ""] = /\/app\/assets\/main-[\w-]+\.js/.exec(dashboard) ?? [];
  expectEqual("the dashboard's script", (await fetch(`${url}${script}`)).status, 200);
}

async function portOf(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  // Bun's types of both streams differ in their buffers.
  const decoder = new TextDecoder();
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true });
    const [, port] = /\(port (\d+)\)/.exec(text) ?? [];
    if (port !== undefined) return port;
  }
  throw new Error(`Waypost did not start: ${text}`);
}

/** Runs a command and returns its standard output. Throws Error when it fails. */
export async function run(command: string[], cwd: string, more: Record<string, string> = {}): Promise<string> {
  const env = { ...environmentWithoutOptions(), ...more };
  const child = Bun.spawn(command, { cwd, env, stdout: "pipe", stderr: "inherit" });
  const [stdout, code] = await Promise.all([child.stdout.text(), child.exited]);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${stdout}`);
  return stdout;
}

/** Without the options of this terminal, and without the settings of the npm that runs this script. */
function environmentWithoutOptions(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(WAYPOST_|npm_package_)/.test(name)));
}

function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: ${actual}, expected ${expected}`);
}
