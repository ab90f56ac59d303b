/** "Test redirect" in a link's menu: where a described visitor would be sent. */
import { beforeAll, expect, test } from "bun:test";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { newLink, openList } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const world = openWalks();
const destination = "https://example.com/";

beforeAll(async () => {
  const variants = ["a", "b"].map((name) => ({ url: `${destination}${name}`, percentage: 50 }));
  for (const body of [
    {
      key: "abroad",
      geo: { DE: `${destination}de` },
      rules: [{ when: { language: "fr" }, url: `${destination}fr` }],
    },
    { key: "locked", password: "open sesame" },
    { key: "over", expiresAt: "2020-01-01T00:00:00Z", expiredUrl: `${destination}expired` },
    { key: "divided", testVariants: variants },
    { key: "store", ios: `${destination}ios` },
  ]) {
    await newLink(world.server, { url: destination, ...body });
  }
});

async function openTest(key: string, options: BrowserContextOptions = {}): Promise<{ page: Page; drawer: Locator }> {
  const page = await world.newPage(options);
  await openList(page, world.url("/links"), "5 links");
  await page.getByRole("button", { name: new RegExp(`^Actions for .*/${key}$`) }).click();
  await page.getByRole("menuitem", { name: "Test redirect" }).click();
  return { page, drawer: page.getByRole("dialog") };
}

test(
  "a country is understood by name, and a change removes the error or the answer about another visitor",
  async () => {
    const { page, drawer } = await openTest("abroad");
    const country = drawer.getByLabel("Country");
    const run = drawer.getByRole("button", { name: "Run test" });

    await country.fill("Atlantis");
    await run.click();
    await drawer.getByText(/^Must be an ISO 3166-1 country code/).waitFor();
    await country.and(page.locator(":focus")).waitFor();
    await country.fill("germany");
    await drawer.getByText(/^Must be an ISO 3166-1 country code/).waitFor({ state: "detached" });
    await run.press("Enter");
    await drawer.getByText("Destination for Germany").waitFor();
    const code = await country.inputValue();
    await run.and(page.locator(":focus")).waitFor();
    await country.fill("FR");
    await drawer.getByText("Destination for Germany").waitFor({ state: "detached" });
    await page.context().close();

    expect(code).toBe("DE");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the test has run for a visitor without attributes when it opens, and a language is understood by name",
  async () => {
    const { page, drawer } = await openTest("abroad");

    await drawer.getByText("Default destination").waitFor();
    await drawer.getByLabel("Language").fill("french");
    await drawer.getByRole("button", { name: "Run test" }).click();
    await drawer.getByText("Rule 1 matches").waitFor();
    await drawer.getByText("Language: French", { exact: true }).waitFor();
    const code = await drawer.getByLabel("Language").inputValue();
    await page.context().close();

    expect(code).toBe("fr");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "on a phone, the answer about another device appears at once, and stays in view below the last field",
  async () => {
    const { page, drawer } = await openTest("store", { viewport: { width: 390, height: 844 } });

    await drawer.getByText("Destination for iPhone and iPad").waitFor();
    await drawer.getByLabel("Device and browser").selectOption("Android · Chrome");
    const answer = drawer.getByText("Default destination");
    await answer.waitFor();
    await drawer.getByLabel(/^Time/).fill("2026-11-20 09:30");
    await drawer.getByText("Run the test to see where this visitor is sent.").waitFor();
    await drawer.getByLabel(/^Time/).press("Enter");
    await answer.waitFor();
    const { x = 0, y = 0 } = (await answer.boundingBox()) ?? {};
    const shownText = await page.evaluate(`document.elementFromPoint(${x + 1}, ${y + 1})?.textContent`);
    await page.context().close();

    expect(shownText).toBe("Default destination");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

/** TABLE of links: the values of the form, and what the answer says. */
const answers: Record<string, { fill: Record<string, string>; says: string[] }> = {
  locked: {
    fill: { "Password entered": "wrong" },
    says: ["Wrong password: the visitor is asked again", "No click: not sent to a destination"],
  },
  over: { fill: {}, says: ["The link has expired", "Fallback redirect", "No click: not sent to a destination"] },
  abroad: {
    fill: { "Query string": "dub-no-track" },
    says: ["Default destination", "Redirect", "No click: dub-no-track in the query string"],
  },
  divided: { fill: {}, says: [] },
};

test.each(Object.entries(answers))(
  "the answer about the link %s gives its reasons",
  async (key, { fill, says }) => {
    const { page, drawer } = await openTest(key);
    for (const [label, text] of Object.entries(fill)) await drawer.getByLabel(label).fill(text);

    await drawer.getByRole("button", { name: "Run test" }).click();

    for (const text of says) await drawer.getByText(text, { exact: true }).waitFor();
    if (key === "divided") await drawer.getByText(/^A\/B test: variant [AB], for 50% of visitors$/).waitFor();
    await page.context().close();
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
