/**
 * The pages for visitors in a real browser: light, dark and on a narrow phone. All tests share one browser, and fail
 * without one.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { AxeResults } from "axe-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { openPageHost } from "../support/page-host.ts";

const browserStartMsMax = 60_000;
const pagesMsMax = 60_000;

/** TABLE of the views. */
const views: Record<string, BrowserContextOptions> = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 800 }, locale: "en-US" },
  dark: { colorScheme: "dark", viewport: { width: 1280, height: 800 }, locale: "de-DE" },
  "360 pixels wide": { colorScheme: "light", viewport: { width: 360, height: 640 }, locale: "fr-FR" },
  "360 pixels wide and dark": { colorScheme: "dark", viewport: { width: 360, height: 640 }, locale: "es-ES" },
};

const axeSource = await Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)).text();
const host = openPageHost();
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, browserStartMsMax);
afterAll(async () => {
  await browser.close();
  await host.stop();
});

/** Records violations of the Content-Security-Policy and requests to other hosts. */
function watch(page: Page): { pageErrors: string[]; external: string[] } {
  const seen = { pageErrors: [] as string[], external: [] as string[] };
  page.on("console", (message) => {
    if (/content security policy|refused to/i.test(message.text())) seen.pageErrors.push(message.text());
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(host.origin) && !url.startsWith("data:")) seen.external.push(url);
  });
  return seen;
}

/** The violations that axe-core finds, one per line. */
async function accessibilityErrorsOf(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  // Frames belong to the destination. Colors are checked in this view.
  const results: AxeResults = await page.evaluate("axe.run(document, { iframes: false })");
  return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

for (const [view, options] of Object.entries(views)) {
  describe(view, () => {
    let context: BrowserContext;
    beforeAll(async () => {
      context = await browser.newContext(options);
    });
    afterAll(() => context.close());

    test(
      "every page is accessible, fits the width, and has no policy violations or requests to other hosts",
      async () => {
        const page = await context.newPage();
        const seen = watch(page);

        const errors: string[] = [];
        for (const path of host.paths) {
          await page.goto(`${host.origin}${path}`);
          const widths = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]");
          const [width, window] = widths as [number, number];
          if (width > window) errors.push(`${path}: ${width} pixels in a window of ${window}`);
          errors.push(...(await accessibilityErrorsOf(page)).map((error) => `${path}: ${error}`));
        }

        // The destination of one page refuses to be framed.
        const pageErrors = seen.pageErrors.filter((text) => !text.includes("X-Frame-Options"));
        expect({ errors, pageErrors, external: seen.external }).toEqual({ errors: [], pageErrors: [], external: [] });
      },
      pagesMsMax,
    );
  });
}

describe("a visitor", () => {
  let page: Page;
  beforeAll(async () => {
    page = await browser.newPage({ locale: "en-US", javaScriptEnabled: true });
  });
  afterAll(() => page.close());

  test("can type the password at once, and gets the error as the field's description", async () => {
    await page.goto(`${host.origin}/password-wrong`);

    const field = page.getByRole("textbox", { name: "Password" }).or(page.getByLabel("Password"));
    const isFocused = await field.evaluate((node) => node === node.ownerDocument.activeElement);
    const description = await field.evaluate((node) => {
      const described = node.ownerDocument.getElementById(node.getAttribute("aria-describedby") ?? "");
      return described?.textContent;
    });

    expect({ isFocused, description, alert: await page.getByRole("alert").textContent() }).toEqual({
      isFocused: true,
      description: "Incorrect password.",
      alert: "Incorrect password.",
    });
  });

  test("sees the destination in the frame, and can leave it", async () => {
    await page.goto(`${host.origin}/framed`);

    const heading = await page.frameLocator("iframe").getByRole("heading").textContent();
    await page.getByRole("link", { name: "Page not loading? Open it directly" }).click();

    expect({ heading, url: page.url() }).toEqual({ heading: "Spring sale", url: `${host.origin}/destination` });
  });

  test("sees the domain's logo", async () => {
    await page.goto(`${host.origin}/not-found-with-logo`);

    const width = await page
      .getByRole("img", { name: "go.example.com" })
      .evaluate((image) => ("naturalWidth" in image ? image.naturalWidth : 0));

    expect(width).toBe(240);
  });
});
