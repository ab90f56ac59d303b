/**
 * Time until the list of links is usable in a real browser with an empty cache, in a workspace with 100,000 links,
 * against a page of one word from the same server. Then how smoothly the list scrolls and how soon rows appear after a
 * jump, against an empty page of the same height.
 *
 *   npm run benchmark:dashboard
 */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openBrowser } from "../tests/support/browser.ts";
import { ownerPassword, ownerSignIn } from "../tests/support/dashboard.ts";
import { startServer } from "../tests/support/server.ts";
import { fillLinks } from "./support/links.ts";
import { median, percentile } from "./support/load.ts";
import { openEmptyPage, type ScrollTimes, scroll } from "./support/scroll.ts";

const links = 100_000;
const rounds = 9;
/** Rounds of scrolling, in turns with the empty page. */
const scrollRounds = 5;
const waitMsMax = 30_000;

let server = await startServer(ownerPassword);
const browser = await openBrowser();
try {
  await server.end("SIGTERM");
  fillLinks(join(server.data, "waypost.sqlite"), { count: links });
  server = await server.restart();
  // Builds the dashboard if needed.
  await fetch(`${server.url}/app`);
  const times = { list: [] as number[], again: [] as number[], word: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const headers = { Origin: server.url };
    await context.request.post(`${server.url}/app/session`, { data: ownerSignIn, headers });
    const open = async (path: string, text: string) => {
      const startedAt = performance.now();
      await page.goto(server.url + path, { waitUntil: "commit" });
      await waitForText(page, text);
      return performance.now() - startedAt;
    };
    times.word.push(await open("/healthz", "ok"));
    times.list.push(await open("/app/w/1/links", "example.com/page/"));
    times.again.push(await open("/app/w/1/links", "example.com/page/"));
    await context.close();
  }
  const [list, again, word] = [median(times.list), median(times.again), median(times.word)];
  console.log(`list of ${links} links, empty cache: ${list.toFixed(0)} ms; revisit: ${again.toFixed(0)} ms`);
  console.log(`a page of one word: ${word.toFixed(0)} ms`);
  console.log(`ratio ${(list / word).toFixed(1)}, revisit ${(again / word).toFixed(1)} (medians of ${rounds} rounds)`);
  await benchmarkScrolling();
} finally {
  await browser.close();
  await server.remove();
}

/**
 * Looks at each frame, because Playwright's own waits come to look only every half second.
 * Throws after waitMsMax.
 */
async function waitForText(page: Page, text: string): Promise<void> {
  await page.evaluate(`new Promise((resolve, reject) => {
    const look = () => {
      if (document.body?.textContent?.includes(${JSON.stringify(text)})) resolve();
      else if (performance.now() > ${waitMsMax}) reject(new Error("The page does not show its text."));
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

async function benchmarkScrolling(): Promise<void> {
  const runs: { list: ScrollTimes[]; empty: ScrollTimes[] } = { list: [], empty: [] };
  for (let round = 0; round < scrollRounds; round++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const headers = { Origin: server.url };
    await context.request.post(`${server.url}/app/session`, { data: ownerSignIn, headers });
    await page.goto(`${server.url}/app/w/1/links`);
    await waitForText(page, "example.com/page/");
    runs.list.push(await scroll(page, round));
    await page.goto(`${server.url}/healthz`);
    await openEmptyPage(page, links);
    runs.empty.push(await scroll(page, round));
    await context.close();
  }
  const list = printScrollTimes("the list", runs.list);
  const empty = printScrollTimes("an empty page of that height", runs.empty);
  const [frame, jump] = [list.frame / empty.frame, list.jump / empty.jump];
  console.log(`ratio of the frames' p95 ${frame.toFixed(1)}, of the jumps' median ${jump.toFixed(1)}`);
}

/** Prints the scrolling times of all rounds. Most frames last as long as the screen's refresh interval. */
function printScrollTimes(name: string, rounds: readonly ScrollTimes[]): { frame: number; jump: number } {
  const frames = rounds.flatMap(({ frameMs }) => frameMs);
  const jumps = rounds.flatMap(({ jumpMs }) => jumpMs);
  const long = rounds.reduce((sum, { longFrames }) => sum + longFrames, 0);
  const spread = (values: readonly number[]) =>
    `median ${median(values).toFixed(1)}, p95 ${percentile(values, 0.95).toFixed(1)} ms`;
  console.log(`scrolling ${name}: frames ${spread(frames)}, ${long} of ${frames.length} longer than 50 ms`);
  console.log(`  from a jump until its rows are shown: ${spread(jumps)} (${jumps.length} jumps)`);
  return { frame: percentile(frames, 0.95), jump: median(jumps) };
}
