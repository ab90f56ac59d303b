/**
 * Time until the list of links can be used in a real browser that has nothing of it yet, in a workspace of 100,000
 * links, beside the time in which the same browser opens a page of one word from the same server.
 *
 *   npm run benchmark:dashboard
 */
import { join } from "node:path";
import { openBrowser } from "../tests/support/browser.ts";
import { ownerPassword, ownerSignIn } from "../tests/support/dashboard.ts";
import { startServer } from "../tests/support/server.ts";
import { fillLinks } from "./support/links.ts";
import { median } from "./support/load.ts";

const links = 100_000;
const rounds = 9;

let server = await startServer(ownerPassword);
const browser = await openBrowser();
try {
  await server.end("SIGTERM");
  fillLinks(join(server.data, "waypost.sqlite"), { count: links });
  server = await server.restart();
  // Which builds the dashboard, where it is not yet.
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
      await page.getByText(text).first().waitFor();
      return performance.now() - startedAt;
    };
    times.word.push(await open("/healthz", "ok"));
    times.list.push(await open("/app/w/1/links", "example.com/page/"));
    times.again.push(await open("/app/w/1/links", "example.com/page/"));
    await context.close();
  }
  const [list, again, word] = [median(times.list), median(times.again), median(times.word)];
  console.log(`list of ${links} links, nothing in the browser: ${list.toFixed(0)} ms; again: ${again.toFixed(0)} ms`);
  console.log(`a page of one word: ${word.toFixed(0)} ms`);
  console.log(`ratio ${(list / word).toFixed(1)}, again ${(again / word).toFixed(1)} (medians of ${rounds} rounds)`);
} finally {
  await browser.close();
  await server.remove();
}
