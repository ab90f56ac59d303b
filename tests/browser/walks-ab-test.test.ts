/**
 * Walks through the results of an A/B test in windows of three widths with visible scrollbars. Each walk ends with the
 * faults of the page in both themes. `ab-test.test.ts` checks the parts in depth.
 */
import { expect, test } from "bun:test";
import { z } from "zod";
import { newLink } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { eventually, browser as firefox } from "../support/server.ts";
import { faultsInBothThemes, walkWidths } from "../support/walk-views.ts";

const world = openWalks({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1/32" });
const people = 30;
const testVariants = ["a", "b"].map((page) => ({
  url: `https://shop.example.com/spring?page=${page}`,
  percentage: 50,
}));
const Share = z.object({ value: z.number(), low: z.number(), high: z.number() });
const Variant = z.object({ clicks: z.number(), visitors: z.number(), share: Share });
const Counted = z.object({ clicks: z.number() });
const Results = z.object({ variants: z.array(Variant) });
const percent = new Intl.NumberFormat("en-US", {
  ...{ style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 },
});

/** Creates a link with a test, and follows it as often as there are people. */
async function newTest(key: string): Promise<string> {
  const { id } = await newLink(world.server, { url: "https://shop.example.com/", key, testVariants });
  for (let person = 0; person < people; person++) {
    await world.server.visit(`/${key}`, { headers: { ...firefox, "X-Forwarded-For": `84.128.2.${person}` } });
  }
  const counted = async () =>
    Counted.parse((await world.server.call("GET", `/analytics/clicks?linkId=${id}`)).body).clicks;
  await eventually(counted, (clicks) => clicks === people);
  return id;
}

/** Where a visitor is sent now. A HEAD request is no click. */
async function destination(key: string): Promise<string> {
  return (await world.server.visit(`/${key}`, { method: "HEAD", headers: firefox })).headers.get("location") ?? "";
}

/** The texts of a variant's row, without blanks, as far as they are numbers. */
function expectedTexts({ clicks, visitors, share }: z.infer<typeof Variant>, isNarrow: boolean): string[] {
  const [value, low, high] = [share.value, share.low, share.high].map((part) => percent.format(part));
  return [
    isNarrow ? `${visitors}${clicks}click` : `${clicks}${visitors}`,
    `${value}95%interval:${low}to${high}`,
    "Planned:50%",
  ];
}

test.each(walkWidths)(
  "at %i pixels, a test has a card with the share, clicks, visitors and interval of each variant, and its winner is applied and undone",
  async (width) => {
    const key = `tested-${width}`;
    const id = await newTest(key);
    const { variants } = Results.parse((await world.server.call("GET", `/links/${id}/test-results`)).body);
    const page = await world.newPage({ viewport: { width, height: 800 } });
    await page.goto(world.url("/links"));
    await page.getByRole("button", { name: new RegExp(`^Actions for .*/${key}$`) }).click();
    await page.getByRole("menuitem", { name: "Analytics and A/B test" }).click();
    const table = page.getByRole("table", { name: "A/B test" });
    const rows = table.getByRole("row", { name: /shop\.example\.com/ });
    await rows.nth(1).waitFor();

    const shown = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ""));
    const cut = await rows
      .locator("th span[title]")
      .evaluateAll((urls) => urls.filter((url) => url.scrollWidth > url.clientWidth).length);
    const faults = await faultsInBothThemes(page);
    await page.getByRole("button", { name: "Apply winner" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: /page=b/ }).check();
    faults.push(...(await faultsInBothThemes(page)));
    await dialog.getByRole("button", { name: "Apply winner" }).click();
    await page.getByText("The winner is now the only destination", { exact: true }).first().waitFor();
    await table.waitFor({ state: "detached" });
    const applied = [await destination(key), await destination(key)];
    await page.getByRole("button", { name: "Undo" }).first().click();
    await rows.nth(1).waitFor();
    await page.context().close();

    for (const [index, variant] of variants.entries()) {
      const text = shown[index] ?? "";
      expect(text).toContain(`shop.example.com/spring?page=${["a", "b"][index]}`);
      for (const part of expectedTexts(variant, width < 640)) expect(text).toContain(part);
    }
    expect({ applied, cut, faults }).toEqual({
      applied: ["https://shop.example.com/spring?page=b", "https://shop.example.com/spring?page=b"],
      ...{ cut: 0, faults: [] },
    });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
