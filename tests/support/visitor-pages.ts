import type { Browser, Page } from "playwright-core";
import { z } from "zod";
import { eventually, browser as person, type TestService } from "./server.ts";

/** A page in a new browser context, as a visitor. Close the context, not the page. */
export async function openVisitor(browser: Browser, userAgent = person["User-Agent"]): Promise<Page> {
  return await (await browser.newContext({ userAgent })).newPage();
}

/** Opens a URL as a visitor, and returns the URL of the page after redirects. */
export async function finalUrl(browser: Browser, address: string, userAgent?: string): Promise<string> {
  const page = await openVisitor(browser, userAgent);
  await page.goto(address);
  const url = page.url();
  await page.context().close();
  return url;
}

const Report = z.object({ clicks: z.number() });

/** Visits each key on localhost once as a human, and resolves when reports contain all clicks. */
export async function clickEach(server: TestService, keys: readonly string[]): Promise<void> {
  const clicks = async () =>
    Report.parse((await server.call("GET", "/analytics/clicks?interval=all&groupBy=count")).body).clicks;
  const before = await clicks();
  for (const key of keys) await server.visit(`/${key}`, { headers: person });
  await eventually(clicks, (now) => now === before + keys.length);
}
