/** Links that are created in the drawer in a real browser, and visits to them. */
import { expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { z } from "zod";
import { linkAt, row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { eventually } from "../support/server.ts";
import { finalUrl, openVisitor } from "../support/visitor-pages.ts";

const crawler = "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)";
/** An image file of one pixel, which the test uploads. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const world = openWalks();

const Created = z.object({
  id: z.string(),
  shortLink: z.string(),
  expiresAt: z.string().nullable(),
  testVariants: z.unknown(),
});

/** A link as the API returns it. */
async function fetchLink(key: string) {
  const { body } = await world.server.call("GET", `/links/info?domain=localhost&key=${key}`);
  return Created.parse(body);
}

/** A destination on the same server, so that visitors contact no other. */
function destination(name: string): string {
  return `${world.server.url}/healthz?page=${name}`;
}

/** Opens the drawer of a new link and fills in the required fields. */
async function openNewLink(page: Page, { key, url = destination(key) }: { key: string; url?: string }) {
  await page.goto(world.url("/links?create=1"));
  const drawer = page.getByRole("dialog", { name: "New link" });
  await drawer.getByRole("textbox", { name: "Destination" }).fill(url);
  await drawer.getByRole("textbox", { name: "Slug" }).fill(key);
  return drawer;
}

async function openSection(drawer: Locator, name: string): Promise<void> {
  await drawer.getByRole("button", { name, expanded: false }).click();
}

async function create(drawer: Locator): Promise<void> {
  await drawer.getByRole("button", { name: "Create link" }).click();
}

const Resolved = z.object({ matched: z.object({ kind: z.string(), index: z.number().optional() }) });

/** The user agent of a visitor from this machine to whom the A/B test assigns this variant. */
async function visitorOf(linkId: string, variant: number): Promise<string> {
  for (let version = 100; version < 200; version++) {
    const userAgent = `Mozilla/5.0 (X11; Linux x86_64; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`;
    const body = { userAgent, address: "127.0.0.1" };
    const { matched } = Resolved.parse((await world.server.call("POST", `/links/${linkId}/resolve`, { body })).body);
    if (matched.kind === "testVariant" && matched.index === variant) return userAgent;
  }
  throw new Error(`None of 100 visitors was assigned variant ${variant}.`);
}

test(
  "an A/B test needs shares that add up, and each visitor keeps their variant",
  async () => {
    const page = await world.newPage();
    const drawer = await openNewLink(page, { key: "divided" });
    await openSection(drawer, "A/B test");
    await drawer.getByLabel("Destination A").fill(destination("a"));
    await drawer.getByLabel("Destination B").fill(destination("b"));
    await drawer.getByRole("button", { name: "Add variant" }).click();
    await drawer.getByLabel("Share of A (%)").fill("70");
    await create(drawer);
    await drawer.getByRole("alert").getByText("The shares add up to 136%, not 100%.").waitFor();
    const refused = await linkAt(world.server, "divided");
    await drawer.getByRole("button", { name: "Remove C" }).click();
    await drawer.getByText(/^The shares add up/).waitFor({ state: "detached" });
    await drawer.getByLabel("Share of A (%)").fill("70");
    await create(drawer);
    await row(page, "divided").getByRole("img", { name: "A/B test" }).waitFor();
    const link = await fetchLink("divided");
    const [ofA, ofB] = [await visitorOf(link.id, 0), await visitorOf(link.id, 1)];

    const reached: string[] = [];
    for (const visitor of [ofA, ofB, ofA]) reached.push(await finalUrl(world.browser, link.shortLink, visitor));

    expect(refused).toBeUndefined();
    expect(link.testVariants).toEqual([
      { url: destination("a"), percentage: 70 },
      { url: destination("b"), percentage: 30 },
    ]);
    expect(reached).toEqual([destination("a"), destination("b"), destination("a")]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "UTM parameters entered after an A/B test apply to both variants, and their clicks count for the campaign",
  async () => {
    const page = await world.newPage();
    const drawer = await openNewLink(page, { key: "tagged-test" });
    await openSection(drawer, "A/B test");
    await drawer.getByLabel("Destination B").fill(destination("b"));
    await openSection(drawer, "UTM");
    await drawer.getByLabel("Campaign").fill("spring");
    const urls = ["A", "B"].map((letter) => drawer.getByLabel(`Destination ${letter}`).inputValue());
    const shown = await drawer.getByText(/^Visitors go to /).allInnerTexts();
    await create(drawer);
    await drawer.waitFor({ state: "detached" });
    const link = await fetchLink("tagged-test");
    for (const variant of [0, 1]) await finalUrl(world.browser, link.shortLink, await visitorOf(link.id, variant));

    const tagged = ["tagged-test", "b"].map((name) => `${destination(name)}&utm_campaign=spring`);
    expect(await Promise.all(urls)).toEqual(tagged);
    expect(shown).toEqual(tagged.map((url) => `Visitors go to ${url}`));
    expect(link.testVariants).toEqual(tagged.map((url) => ({ url, percentage: 50 })));
    const campaigns = await eventually(
      async () => (await world.server.call("GET", "/analytics?groupBy=utm_campaigns&interval=24h")).body,
      (rows) => JSON.stringify(rows).includes('"clicks":2'),
    );
    expect(campaigns).toEqual([expect.objectContaining({ utm_campaign: "spring", clicks: 2 })]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a link with UTM parameters, a password, an end and an A/B test takes at most 12 clicks and filled fields",
  async () => {
    const page = await world.newPage({ timezoneId: "UTC", permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(world.url("/links"));
    const drawer = page.getByRole("dialog", { name: "New link" });
    let interactions = 0;
    const click = async (at: Page | Locator, name: string) => {
      interactions++;
      await at.getByRole("button", { name, exact: true }).click();
    };
    /** Types into the field that has the focus. */
    const type = async (label: string, text: string) => {
      interactions++;
      await drawer.getByLabel(label).and(page.locator(":focus")).waitFor();
      await page.keyboard.press("Control+a");
      await page.keyboard.type(text);
    };

    await click(page, "Create link");
    await type("Destination", destination("short-way"));
    await click(drawer, "UTM");
    interactions++;
    await drawer.getByLabel("Source").fill("newsletter");
    interactions++;
    await drawer.getByLabel("Campaign").fill("spring");
    await click(drawer, "Password");
    await type("Password", "open sesame");
    await click(drawer, "Expiry");
    await type("Expires", "12/31/2099");
    await click(drawer, "A/B test");
    await type("Destination B", destination("b"));
    await click(drawer, "Create and copy");
    await page.getByText("Short link copied.").first().waitFor();

    const { body } = await world.server.call("GET", "/links?search=short-way");
    const copied = await page.evaluate("navigator.clipboard.readText()");
    expect(interactions).toBeLessThanOrEqual(12);
    expect(body).toEqual([
      expect.objectContaining({
        shortLink: copied,
        url: `${destination("short-way")}&utm_source=newsletter&utm_campaign=spring`,
        password: "********",
        expiresAt: "2100-01-01T00:00:00.000Z",
        testVariants: [
          { url: `${destination("short-way")}&utm_source=newsletter&utm_campaign=spring`, percentage: 50 },
          { url: destination("b"), percentage: 50 },
        ],
      }),
    ]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the password set in the drawer lets visitors through until the link expires",
  async () => {
    const page = await world.newPage({ timezoneId: "America/New_York" });
    const drawer = await openNewLink(page, { key: "guarded" });
    await openSection(drawer, "Password");
    await drawer.getByLabel("Password").fill("open sesame");
    await openSection(drawer, "Expiry");
    await drawer.getByLabel("Expires").fill("2099-12-31 18:00");
    await create(drawer);
    await row(page, "guarded").getByRole("img", { name: "Password protected" }).waitFor();
    const link = await fetchLink("guarded");

    const visitor = await openVisitor(world.browser);
    await visitor.goto(link.shortLink);
    await visitor.getByRole("heading", { name: "Password required" }).waitFor();
    await visitor.keyboard.type("close sesame");
    await visitor.keyboard.press("Enter");
    await visitor.getByText("Incorrect password.").waitFor();
    await visitor.keyboard.type("open sesame");
    await visitor.keyboard.press("Enter");
    await visitor.waitForURL(destination("guarded"));
    await row(page, "guarded")
      .getByRole("button", { name: /^localhost.*\/guarded$/ })
      .click();
    const editor = page.getByRole("dialog", { name: "Edit link" });
    await openSection(editor, "Expiry");
    const shown = await editor.getByLabel("Expires").inputValue();
    await editor.getByLabel("Expires").fill("2020-01-01 00:00");
    await editor.getByRole("button", { name: "Save changes" }).click();
    await row(page, "guarded").getByText("Expired", { exact: true }).waitFor();
    await visitor.goto(link.shortLink);
    await visitor.getByRole("heading", { name: "This link has expired" }).waitFor();
    await visitor.context().close();

    expect([link.expiresAt, shown]).toEqual(["2099-12-31T23:00:00.000Z", "Dec 31, 2099, 6:00 PM"]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a social card is previewed while it is typed, and served to preview bots; people are redirected",
  async () => {
    const page = await world.newPage();
    const drawer = await openNewLink(page, { key: "carded" });
    const preview = drawer.getByRole("complementary", { name: "Preview" });
    await openSection(drawer, "More");
    await openSection(drawer, "Social card");
    await drawer.getByLabel("Title").fill("Winter sale");
    await drawer.getByLabel("Description").fill("Everything warm, half the price.");
    await drawer
      .locator("input[type=file]")
      .setInputFiles({ name: "card.png", mimeType: "image/png", buffer: picture });
    await preview.getByText("Winter sale").waitFor();
    await preview.getByText("Everything warm, half the price.").waitFor();
    await preview.locator("img[src^='data:image/png']").waitFor();
    await preview.getByText("The destination’s own card is shown.").waitFor();
    await drawer.getByRole("switch", { name: "Use your own card" }).click();
    await preview.getByText("The destination’s own card is shown.").waitFor({ state: "detached" });
    await create(drawer);
    await drawer.waitFor({ state: "detached" });
    const { shortLink } = await fetchLink("carded");

    const previewer = await openVisitor(world.browser, crawler);
    await previewer.goto(shortLink);
    const property = async (name: string) =>
      (await previewer.locator(`meta[property='og:${name}']`).getAttribute("content")) ?? "";
    const card = [await property("title"), await property("description")];
    const image = await fetch((await property("image")).replace("localhost", "127.0.0.1"), {
      headers: { Host: new URL(shortLink).host },
    });
    await previewer.context().close();

    expect(card).toEqual(["Winter sale", "Everything warm, half the price."]);
    expect(image.headers.get("Content-Type")).toBe("image/png");
    expect(Buffer.from(await image.arrayBuffer()).equals(picture)).toBe(true);
    expect(await finalUrl(world.browser, shortLink)).toBe(destination("carded"));
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "UTM parameters saved as a template in one drawer fill in the next link",
  async () => {
    const page = await world.newPage();
    const first = await openNewLink(page, { key: "first-mail", url: "https://example.com/spring" });
    await openSection(first, "UTM");
    await first.getByLabel("Source").fill("newsletter");
    await first.getByLabel("Medium").fill("e mail");
    await first.getByRole("button", { name: "Save as template" }).click();
    await page.keyboard.type("Spring mail");
    await page.keyboard.press("Enter");
    await first
      .getByLabel("Template", { exact: true })
      .getByRole("option", { name: "Spring mail" })
      .waitFor({ state: "attached" });
    const afterEnter = await linkAt(world.server, "first-mail");
    await create(first);
    await first.waitFor({ state: "detached" });

    const second = await openNewLink(page, {
      key: "second-mail",
      url: `${destination("summer")}&utm_medium=paper#top`,
    });
    await openSection(second, "UTM");
    await second.getByLabel("Template", { exact: true }).selectOption("Spring mail");
    const filled = [await second.getByLabel("Source").inputValue(), await second.getByLabel("Medium").inputValue()];
    await create(second);
    await second.waitFor({ state: "detached" });

    const tagged = `${destination("summer")}&utm_source=newsletter&utm_medium=e+mail#top`;
    expect(afterEnter).toBeUndefined();
    expect((await linkAt(world.server, "first-mail"))?.url).toContain("utm_source=newsletter");
    expect(filled).toEqual(["newsletter", "e mail"]);
    expect((await linkAt(world.server, "second-mail"))?.url).toBe(tagged);
    expect(await finalUrl(world.browser, (await fetchLink("second-mail")).shortLink)).toBe(tagged);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
