import type { Browser, Page } from "playwright-core";
import { z } from "zod";
import { eventually, browser as person, type TestServer } from "./server.ts";

/** A page in a browser of a visitor's own, which is to be closed by its context. */
export async function openVisitor(browser: Browser, userAgent = person["User-Agent"]): Promise<Page> {
  return await (await browser.newContext({ userAgent })).newPage();
}

/** Opens an address as a visitor, and returns the address to which that led. */
export async function ledTo(browser: Browser, address: string, userAgent?: string): Promise<string> {
  const page = await openVisitor(browser, userAgent);
  await page.goto(address);
  const led = page.url();
  await page.context().close();
  return led;
}

const Report = z.object({ clicks: z.number() });

/** Clicks each of these keys of localhost once, as a person, and returns when reports have all of it. */
export async function clickEach(server: TestServer, keys: readonly string[]): Promise<void> {
  const clicks = async () =>
    Report.parse((await server.call("GET", "/analytics/clicks?interval=all&groupBy=count")).body).clicks;
  const before = await clicks();
  for (const key of keys) await server.visit(`/${key}`, { headers: person });
  await eventually(clicks, (now) => now === before + keys.length);
}
