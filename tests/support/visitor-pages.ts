import type { Browser, Page } from "playwright-core";
import { browser as person } from "./server.ts";

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
