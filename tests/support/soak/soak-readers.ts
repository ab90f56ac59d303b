/** Clients that only read during a soak test: reports, exports, live streams, backups and the dashboard. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { z } from "zod";
import { openBrowser } from "../browser.ts";
import { pick, type Random } from "../clicks.ts";
import { waypost } from "../command.ts";
import { ownerSignIn, watchPage } from "../dashboard.ts";
import { LiveReader } from "../live-reader.ts";
import type { SoakEditor } from "./soak-editor.ts";
import type { SoakModel } from "./soak-model.ts";
import type { SoakWorld } from "./soak-world.ts";
import { parseDestination } from "./soaked-link.ts";

const reportPaths = [
  "/analytics/clicks?interval=24h&groupBy=country",
  "/analytics/clicks?interval=all&groupBy=browser&bots=include",
  "/analytics/timeseries?interval=24h",
  "/analytics?groupBy=top_links&event=clicks&interval=30d",
  "/events?event=clicks&interval=24h&limit=100",
  "/links/count",
];
const exportMsMax = 60_000;
const pageMsMax = 60_000;
const dashboardPaths = ["/links", "/analytics", "/domains", "/tags", "/settings"];

/** Reads a random report of a workspace. */
export async function readReport(editor: SoakEditor, world: SoakWorld, random: Random): Promise<void> {
  if ((await editor.client.read(pick(random, reportPaths))) !== undefined) world.record.count("reports");
}

/** Exports a workspace's clicks: each is once in the file, and of a visit to a link of this workspace. */
export async function exportClicks(
  world: SoakWorld,
  model: SoakModel,
  { workspaceId, apiKey }: { workspaceId: number; apiKey: string },
): Promise<void> {
  const since = performance.now();
  try {
    const response = await fetch(`${world.url}/v1/events/export?interval=all&format=jsonl&bots=include`, {
      headers: { Authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(exportMsMax),
    });
    if (response.status !== 200) throw new Error(`The export was answered ${response.status}.`);
    const lines = (await response.text()).split("\n").slice(0, -1);
    requireOwnClicks(lines, workspaceId, model, world);
    world.record.count("exports");
  } catch (error) {
    world.record.count("exports cut off");
    if (!world.wasDisturbed(since)) world.record.violate("exports are complete", String(error));
  }
}

const ExportedClick = z.object({ id: z.string(), url: z.string() });

function requireOwnClicks(
  lines: readonly string[],
  workspaceId: number,
  model: SoakModel,
  { record }: SoakWorld,
): void {
  const ids = new Set<string>();
  const tokens = new Set<string | null>();
  for (const line of lines) {
    const { id, url } = ExportedClick.parse(JSON.parse(line));
    ids.add(id);
    tokens.add(new URL(url).searchParams.get("t"));
    const link = model.links.get(parseDestination(url)?.serial ?? 0);
    if (link?.workspaceId !== workspaceId) record.violate("an export has only the workspace's clicks", { line, link });
  }
  record.requireEqual(
    "each click is once in an export",
    { ids: ids.size, visits: tokens.size },
    { ids: lines.length, visits: lines.length },
  );
}

const LiveClick = z.object({ link: z.object({ id: z.string() }) });

/** Follows a workspace's live clicks for a while: all are of this workspace, and none comes twice. */
export async function followLive(world: SoakWorld, editor: SoakEditor, apiKey: string, forMs: number): Promise<void> {
  const since = performance.now();
  try {
    if (world.url === undefined) return;
    const reader = await LiveReader.open(world.url, { key: apiKey });
    if (reader.status !== 200) throw new Error(`The stream was answered ${reader.status}.`);
    await Promise.race([Bun.sleep(forMs), reader.ended]);
    await reader.kill();
    const own = new Set(editor.links.flatMap(({ id }) => id ?? []));
    const ids = reader.events.map(({ id }) => id);
    world.record.count("live clicks", ids.length);
    const foreign = reader.events.filter(({ data }) => {
      const click = LiveClick.safeParse(data);
      return click.success && !own.has(click.data.link.id);
    });
    if (foreign.length > 0) world.record.violate("a live stream has only the workspace's clicks", foreign[0]);
  } catch (error) {
    if (!world.wasDisturbed(since)) world.record.violate("live streams open", String(error));
  }
}

/** Backs up the running server, and verifies the file. Returns its path; undefined when a disturbance prevented it. */
export async function backUp(world: SoakWorld, name: string): Promise<string | undefined> {
  const since = performance.now();
  const file = join(world.folder, "backups", `${name}.tar.zst`);
  rmSync(file, { force: true });
  const made = await waypost(["backup", file], world);
  const verified = made.code === 0 ? await waypost(["backup", "verify", file], world) : made;
  if (verified.code === 0) {
    world.record.count("backups made and verified");
    return file;
  }
  world.record.count("backups refused or cut off");
  // A backup that was made must be whole, whatever happened during it.
  if (made.code === 0 || !world.wasDisturbed(since))
    world.record.violate("a backup can be made and verified", verified);
  return undefined;
}

/** A browser that opens pages of the dashboard. */
export class SoakBrowser {
  readonly #world: SoakWorld;
  readonly #browser: Browser;

  private constructor(world: SoakWorld, browser: Browser) {
    this.#world = world;
    this.#browser = browser;
  }

  static async open(world: SoakWorld): Promise<SoakBrowser> {
    return new SoakBrowser(world, await openBrowser());
  }

  /** Opens a random page as the owner: it has a heading, and no error. */
  async visit(random: Random): Promise<void> {
    const { record, url } = this.#world;
    if (url === undefined) return;
    const since = performance.now();
    const path = pick(random, dashboardPaths);
    const errors: string[] = [];
    const context = await this.#browser.newContext({ reducedMotion: "reduce", locale: "en-US" });
    try {
      await context.request.post(`${url}/app/session`, {
        data: ownerSignIn,
        headers: { Origin: url },
        timeout: pageMsMax,
      });
      const page = await context.newPage();
      watchPage(page, url, errors);
      await page.goto(`${url}/app/w/1${path}`, { timeout: pageMsMax });
      await page.locator("main h1").first().waitFor({ timeout: pageMsMax });
      await page.waitForLoadState("domcontentloaded");
      errors.push(...(await alertsOf(page)));
    } catch (error) {
      errors.push(String(error));
    } finally {
      await context.close();
    }
    record.count("pages of the dashboard");
    if (errors.length > 0 && !this.#world.wasDisturbed(since)) {
      record.violate("pages of the dashboard show no error", { path, errors });
    }
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

async function alertsOf(page: Page): Promise<string[]> {
  return (await page.getByRole("alert").allTextContents()).filter((text) => text.trim() !== "");
}
