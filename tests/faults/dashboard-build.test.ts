/** Builds of the dashboard: built once, complete, and kept while open pages need their files. */
import { afterAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { build } from "../../dashboard/build.ts";
import { openLog } from "../../src/base/log.ts";
import { currentBuild, openDashboard } from "../../src/site/dashboard.ts";
import { assetsPath, buildFolder, distFolder, sourceHash } from "../../src/site/dashboard-files.ts";

const methods = {
  isSetUp: true,
  signUp: "invite",
  hasPasswords: true,
  hasLinks: false,
  linkLifeMinutes: 15,
  provider: null,
  passkeys: "off",
  origin: "http://localhost",
} as const;

const folder = mkdtempSync(join(tmpdir(), "waypost-builds-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A build of other sources with one script, created `minutes` ago. */
async function otherBuild(dist: string, name: string, minutes: number): Promise<string> {
  const path = buildFolder(dist, Bun.hash(name).toString(16).padStart(16, "0"));
  const script = `main-${name}.js`;
  await Bun.write(join(path, "assets", script), `// ${name}`);
  await Bun.write(join(path, "manifest.json"), JSON.stringify({ builtFrom: name, script, parts: [], style: "" }));
  const time = new Date(Date.now() - minutes * 60_000);
  utimesSync(path, time, time);
  return script;
}

const builds = (dist: string) => readdirSync(dist).filter((name) => !name.startsWith("."));

const ask = (path: string) => new Request(`http://localhost:3000${path}`);

test("servers that start at the same time build once, and a page gets every file that it names", async () => {
  const dist = join(folder, "side-by-side");

  const [first, ...others] = await Promise.all([build(dist), build(dist), build(dist)]);
  const dashboard = openDashboard(openLog("error"), async () => methods, dist);
  const page = await (await dashboard.page(ask("/app"))).text();
  const named = [...page.matchAll(/\/app\/assets\/([\w.-]+)/g)].map(([, name = ""]) => name);
  const statuses = await Promise.all(
    named.map(async (name) => (await dashboard.file(name, ask(`${assetsPath}${name}`))).status),
  );

  expect(others).toEqual([first, first]);
  expect(builds(dist)).toHaveLength(1);
  expect(named).toContain(first.script);
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test("files of recent builds stay for open pages, and those of the oldest build are removed", async () => {
  const dist = join(folder, "updated");
  const ages = [10, 20, 30, 40, 50];
  const scripts = await Promise.all(ages.map((minutes) => otherBuild(dist, `of${minutes}`, minutes)));

  await build(dist);
  const dashboard = openDashboard(openLog("error"), async () => methods, dist);
  const page = await dashboard.page(ask("/app"));
  const statuses = await Promise.all(
    scripts.map(async (name) => (await dashboard.file(name, ask(`${assetsPath}${name}`))).status),
  );

  expect(page.status).toBe(200);
  expect(statuses).toEqual([200, 200, 200, 404, 404]);
  expect(builds(dist)).toContain((await sourceHash()).slice(0, 16));
});

test("a build that is removed while the service runs is built again for the next page", async () => {
  const dist = join(folder, "removed");
  const { builtFrom } = await currentBuild(openLog("error"));
  const present = buildFolder(dist, builtFrom);
  cpSync(buildFolder(distFolder, builtFrom), present, { recursive: true });
  const dashboard = openDashboard(openLog("error"), async () => methods, dist);
  await dashboard.page(ask("/app"));
  expect(builds(dist)).toEqual([basename(present)]);
  rmSync(present, { recursive: true });

  const page = await dashboard.page(ask("/app"));

  expect(page.status).toBe(200);
});
