import type { Browser } from "playwright-core";
import { browser as person } from "./server.ts";

/** Opens an address in a browser of a visitor's own, and returns the address to which that led. */
export async function ledTo(browser: Browser, address: string, userAgent = person["User-Agent"]): Promise<string> {
  const context = await browser.newContext({ userAgent });
  const page = await context.newPage();
  await page.goto(address);
  const led = page.url();
  await context.close();
  return led;
}
