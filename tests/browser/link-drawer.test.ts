/** The drawer of a link in a real browser: what viewers see, and where errors are shown. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { accessibilityErrorsOf, newPerson } from "../support/dashboard.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { overflowsOf } from "../support/overflows.ts";
import { eventually } from "../support/server.ts";

const world = openWalks();

const Created = z.object({ id: z.string() });

async function newLink(body: object) {
  const answer = await world.server.call("POST", "/links", { body });
  expect(answer).toMatchObject({ status: 200 });
  return Created.parse(answer.body);
}

test(
  "a viewer can open and read every section of a link, and change none",
  async () => {
    const tag = Created.parse((await world.server.call("POST", "/tags", { body: { name: "Autumn" } })).body);
    const { id } = await newLink({
      url: "https://example.com/read?utm_source=mail",
      key: "read",
      tagIds: [tag.id],
      password: "open sesame",
      maxClicks: 90,
      ios: "https://example.com/ios",
      geo: { DE: "https://example.com/de" },
      rules: [{ when: { country: "AT", browser: "Firefox" }, url: "https://example.com/at" }],
      testVariants: [
        { url: "https://example.com/a", percentage: 60 },
        { url: "https://example.com/b", percentage: 40 },
      ],
      trackConversion: true,
      title: "A title",
      redirectStatus: 308,
      externalId: "ours",
    });
    const page = await world.newPage({}, await newPerson(world.server, "viewer"));
    await page.goto(world.url(`/links?edit=${id}`));
    const drawer = page.getByRole("dialog", { name: "Link", exact: true });
    await drawer.getByText("Members and owners can edit this link").waitFor();

    const closed = drawer.locator("form button[aria-expanded=false]:not([aria-haspopup])");
    for (let count = await closed.count(); count > 0; count--) await closed.first().click();
    const texts = drawer.locator("input:not([type=checkbox]), textarea");
    const values = await Promise.all((await texts.all()).map((each) => each.inputValue()));
    const open = await drawer.locator("form button[aria-expanded=true]:not([aria-haspopup])").count();
    const changing = await drawer
      .getByRole("button", { name: /^(Remove|Add|And|Move|Divide|Change|Choose|Make)/ })
      .count();
    const writable = await drawer.locator(":is(input, textarea, select):not([readonly], [disabled])").count();

    for (const value of ["https://example.com/read?utm_source=mail", "mail", "90", "https://example.com/ios", "DE"]) {
      expect(values).toContain(value);
    }
    for (const value of ["https://example.com/de", "AT", "Firefox", "https://example.com/b", "A title", "ours"]) {
      expect(values).toContain(value);
    }
    expect(await drawer.getByRole("list", { name: "Tags" }).innerText()).toBe("Autumn");
    expect({ open, changing, writable }).toEqual({ open: 13, changing: 0, writable: 0 });
    expect(await accessibilityErrorsOf(page)).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the drawer shows errors at the country, the condition and the share that are invalid",
  async () => {
    const page = await world.newPage();
    await page.goto(world.url("/links?create=1"));
    const drawer = page.getByRole("dialog", { name: "New link" });
    const invalid = drawer.locator("[aria-invalid=true]");
    const create = drawer.getByRole("button", { name: "Create link" });
    await drawer.getByRole("textbox", { name: "Destination" }).fill("example.com/mistaken");

    await drawer.getByRole("button", { name: "More", exact: true }).click();
    await drawer.getByRole("button", { name: "Devices and countries" }).click();
    await drawer.getByRole("button", { name: "Add country" }).click();
    await drawer.getByLabel("Country code").fill("XX");
    await drawer.getByLabel("Destination for XX").fill("example.com/xx");
    await create.click();
    await drawer.getByText("Must be an ISO 3166-1 country code such as DE.").waitFor();
    const atCountry = [
      await invalid.count(),
      await invalid.getAttribute("aria-label"),
      await drawer.getByRole("alert").count(),
    ];
    await drawer.getByLabel("Country code").fill("DE");
    await drawer.getByRole("button", { name: "Add country" }).click();
    await drawer.getByLabel("Country code").last().fill("DE");
    await create.click();
    await drawer.getByText("DE is listed twice").first().waitFor();
    const atDuplicates = await invalid.evaluateAll((all) => all.map((each) => each.getAttribute("aria-label")));
    await drawer.getByRole("button", { name: "Remove DE" }).last().click();

    await drawer.getByRole("button", { name: "Rules" }).click();
    await drawer.getByRole("button", { name: "Add rule" }).click();
    await drawer.getByLabel("Value").fill("DE, XX");
    await drawer.getByLabel("Redirect to").fill("example.com/rule");
    await create.click();
    await drawer.getByText("Must be an ISO 3166-1 country code such as DE, or a list of these.").waitFor();
    const atCondition = [await invalid.count(), await invalid.inputValue(), await drawer.getByRole("alert").count()];
    await drawer.getByLabel("Value").fill("DE");

    await drawer.getByRole("button", { name: "A/B test" }).click();
    await drawer.getByLabel("Destination B").fill("example.com/b");
    await drawer.getByRole("button", { name: "Add variant" }).click();
    await drawer.getByLabel("Destination C").fill("example.com/c");
    for (const [letter, share] of Object.entries({ A: "5", B: "50", C: "45" })) {
      await drawer.getByLabel(`Share of ${letter} (%)`).fill(share);
    }
    await create.click();
    await drawer.getByText("Must be at least 10.").waitFor();
    const atShare = [
      await invalid.count(),
      await invalid.getAttribute("aria-label"),
      await drawer.getByRole("alert").count(),
    ];

    expect(atCountry).toEqual([1, "Country code", 1]);
    expect(atDuplicates).toEqual(["Country code", "Country code"]);
    expect(atCondition).toEqual([1, "DE, XX", 1]);
    expect(atShare).toEqual([1, "Share of A (%)", 1]);
    expect(await accessibilityErrorsOf(page)).toEqual([]);
  },
  walkMsMax,
);

test(
  "the explanation of a redirect depends on the password of the described visitor",
  async () => {
    const { id } = await newLink({ url: "https://example.com/behind", key: "behind", password: "open sesame" });
    const page = await world.newPage();
    await page.goto(world.url(`/links?why=${id}`));
    const drawer = page.getByRole("dialog", { name: "Test redirect" });
    await drawer.getByText(`localhost:${new URL(world.server.url).port}/behind`, { exact: true }).waitFor();
    await drawer.getByRole("button", { name: "Run test" }).click();
    await drawer.getByText("The visitor is asked for the password").waitFor();

    await drawer.getByLabel("Password entered").fill("open sesame");
    await drawer.getByRole("button", { name: "Run test" }).click();

    await drawer.getByText("https://example.com/behind").waitFor();
    expect(await accessibilityErrorsOf(page)).toEqual([]);
  },
  walkMsMax,
);

test(
  "the preview of a new link shows the port of the short link, even if the dashboard has another host name",
  async () => {
    const page = await world.newPage();
    const { port } = new URL(world.server.url);
    await page.goto(world.url("/links?create=1"));
    const drawer = page.getByRole("dialog", { name: "New link" });
    await drawer.getByRole("textbox", { name: "Slug" }).fill("previewed");

    await drawer.getByRole("complementary").getByText(`localhost:${port}/previewed`).waitFor();
    // The QR code is drawn after a pause in typing.
    const code = drawer.getByRole("img", { name: `localhost:${port}/previewed` });
    await code.waitFor();

    expect(await code.count()).toBe(1);
  },
  walkMsMax,
);

test(
  "an invalid image URL and an invalid date are reported at their fields before the page sends a request",
  async () => {
    const page = await world.newPage();
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && new URL(request.url()).pathname === "/v1/links") sent.push(request.url());
    });
    await page.goto(world.url("/links?create=1"));
    const drawer = page.getByRole("dialog", { name: "New link" });
    const create = drawer.getByRole("button", { name: "Create link" });
    const invalid = drawer.locator("[aria-invalid=true]");
    await drawer.getByRole("textbox", { name: "Destination" }).fill("example.com/errors");
    await drawer.getByRole("button", { name: "More", exact: true }).click();
    await drawer.getByRole("button", { name: "Social card" }).click();
    await drawer.getByLabel("Image URL").fill("example.com/card.png");
    await drawer.getByRole("button", { name: "Expiry" }).click();
    await drawer.getByLabel("Expires").fill("next week");

    await create.click();
    await drawer.getByText("Enter an image URL that begins with").waitFor();
    const errors = await drawer.getByRole("alert").allInnerTexts();
    const marked = [
      await invalid.count(),
      await drawer.getByLabel("Image URL").getAttribute("aria-invalid"),
      await drawer.getByLabel("Expires").getAttribute("aria-invalid"),
    ];
    const violations = await accessibilityErrorsOf(page);
    await drawer.getByLabel("Image URL").fill("https://example.com/card.png");
    const remaining = await drawer.getByRole("alert").allInnerTexts();
    await drawer.getByLabel("Expires").fill("2099-12-31 18:00");
    const sentBefore = sent.length;
    await create.click();
    await drawer.waitFor({ state: "detached" });

    expect(errors).toEqual([expect.stringMatching(/^Enter a date/), expect.stringMatching(/^Enter an image URL/)]);
    expect(marked).toEqual([2, "true", "true"]);
    expect(violations).toEqual([]);
    expect(remaining).toEqual([expect.stringMatching(/^Enter a date/)]);
    expect([sentBefore, sent.length]).toEqual([0, 1]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a server error stays at its field until the user changes this field or one it depends on",
  async () => {
    await newLink({ url: "https://example.com/", key: "taken" });
    const page = await world.newPage();
    await page.goto(world.url("/links?create=1"));
    const drawer = page.getByRole("dialog", { name: "New link" });
    const alerts = drawer.getByRole("alert");
    const invalid = drawer.locator("[aria-invalid=true]");
    await drawer.getByRole("textbox", { name: "Destination" }).fill("example.com/refused");
    await drawer.getByRole("textbox", { name: "Slug" }).fill("taken");
    await drawer.getByRole("button", { name: "Create link" }).click();
    await alerts.first().waitFor();

    await drawer.getByRole("button", { name: "Comment" }).click();
    await drawer.getByRole("textbox", { name: "Comment" }).fill("Another field");
    const afterOther = [await alerts.count(), await invalid.count()];
    await drawer.getByRole("textbox", { name: "Slug" }).fill("take");
    const afterOwn = [await alerts.count(), await invalid.count()];

    expect(afterOther).toEqual([1, 1]);
    expect(afterOwn).toEqual([0, 0]);
    expect(await accessibilityErrorsOf(page)).toEqual([]);
  },
  walkMsMax,
);

test(
  "a taken or impossible slug is reported while it is typed, and an allowed one is offered for it",
  async () => {
    await newLink({ url: "https://example.com/", key: "occupied" });
    const page = await world.newPage();
    await page.goto(world.url("/links?create=1"));
    const drawer = page.getByRole("dialog", { name: "New link" });
    const slug = drawer.getByRole("textbox", { name: "Slug" });

    await slug.pressSequentially("Occupied");
    await drawer.getByText("“Occupied” is taken on this domain.").waitFor();
    const isMarked = await slug.getAttribute("aria-invalid");
    await slug.fill("two words");
    await drawer.getByText(/^Must contain only letters, digits/).waitFor();
    const faults = await accessibilityErrorsOf(page);
    await drawer.getByText("/two-words", { exact: true }).filter({ visible: true }).waitFor();
    await drawer.getByRole("button", { name: "Use two-words" }).click();
    await drawer.getByRole("alert").waitFor({ state: "detached" });
    const focused = await drawer.locator("input:focus").inputValue();

    expect(isMarked).toBe("true");
    expect(focused).toBe("two-words");
    expect(faults).toEqual([]);
    expect(await accessibilityErrorsOf(page)).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the title of a new link is that of the page until the person types one",
  async () => {
    const page = await world.newPage();
    const titles: Record<string, string> = { "a.example.com": "דף הבית", "b.example.com": "Second page" };
    const asked: string[] = [];
    await page.route("**/v1/metatags?*", async (route) => {
      const url = new URL(route.request().url()).searchParams.get("url") ?? "";
      asked.push(url);
      await route.fulfill({ json: { title: titles[url] ?? null, description: null, image: null } });
    });
    await page.goto(world.url("/links?create=1"));
    const drawer = page.getByRole("dialog", { name: "New link" });
    const destination = drawer.getByRole("textbox", { name: "Destination" });
    const title = drawer.getByLabel("Title");
    const shows = async (text: string) =>
      await eventually(
        () => title.inputValue(),
        (value) => value === text,
      );

    await destination.pressSequentially("a.example.com");
    await shows("דף הבית");
    const isRightToLeft = await title.evaluate((element) => element.matches(":dir(rtl)"));
    await drawer.getByRole("button", { name: "UTM" }).click();
    await drawer.getByLabel("Source").fill("mail");
    await destination.fill("b.example.com");
    await shows("Second page");
    await title.fill("Mine");
    await destination.fill("a.example.com");
    await drawer.getByRole("textbox", { name: "Slug" }).fill("titled");
    await drawer.getByRole("button", { name: "Create link" }).click();
    await drawer.waitFor({ state: "detached" });

    const { body } = await world.server.call("GET", "/links/info?domain=localhost&key=titled");
    expect(body).toMatchObject({ title: "Mine" });
    expect({ isRightToLeft, asked }).toEqual({ isRightToLeft: true, asked: ["a.example.com", "b.example.com"] });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a new link that has already expired is not called live",
  async () => {
    const page = await world.newPage();
    await page.goto(world.url("/links?create=1"));
    const drawer = page.getByRole("dialog", { name: "New link" });
    await drawer.getByRole("textbox", { name: "Destination" }).fill("example.com/over");
    await drawer.getByRole("textbox", { name: "Slug" }).fill("over");
    await drawer.getByRole("button", { name: "Expiry" }).click();
    await drawer.getByLabel("Expires").fill("2020-01-01 00:00");
    await drawer.getByRole("button", { name: "Create link" }).click();

    await page
      .getByText(/\/over is saved, but has already expired$/)
      .first()
      .waitFor();

    expect(await page.getByText(/is live$/).count()).toBe(0);
  },
  walkMsMax,
);

test(
  "the drawer of a link slides in once, although it shows placeholders first",
  async () => {
    const { id } = await newLink({ url: "https://example.com/slides", key: "slides" });
    const page = await world.newPage({ reducedMotion: "no-preference" });
    await page.addInitScript(`
      window.edges = [];
      window.drawers = new Set();
      const note = () => {
        const drawer = document.querySelector("[role=dialog]");
        if (drawer !== null) {
          window.drawers.add(drawer);
          window.edges.push(drawer.getBoundingClientRect().left);
        }
        requestAnimationFrame(note);
      };
      note();
    `);
    const hasSlid = Promise.withResolvers<void>();
    await page.route("**/v1/links/*", async (route) => {
      await hasSlid.promise;
      await route.continue();
    });

    await page.goto(world.url(`/links?edit=${id}`));
    const drawer = page.getByRole("dialog");
    await drawer.locator("[data-skeleton]").first().waitFor();
    await page.evaluate(slid);
    hasSlid.resolve();
    await drawer.getByLabel("Destination").first().waitFor();
    await page.evaluate(slid);

    const edges = z.array(z.number()).parse(await page.evaluate("window.edges"));
    const drawers = await page.evaluate("window.drawers.size");
    // A second drawer, for the form, would slide in once more, or skip frames to go on where the first one was.
    expect(drawers).toBe(1);
    expect(edges.length).toBeGreaterThan(1);
    expect(edges).toEqual(edges.toSorted((left, right) => right - left));
  },
  walkMsMax,
);

/** Waits until the drawer has slid in. */
const slid = `Promise.all(
  document.querySelector("[role=dialog]").getAnimations().map(({ finished }) => finished.catch(() => {})),
)`;

test(
  "an opened chip is scrolled into view, also below a long one",
  async () => {
    const page = await world.newPage({ viewport: { width: 1440, height: 800 } });
    await page.goto(world.url("/links?create=true"));
    const drawer = page.getByRole("dialog", { name: "New link" });
    await drawer.getByRole("button", { name: "A/B test" }).click();
    await drawer.getByLabel("Starts").waitFor();

    await drawer.getByRole("button", { name: "More", exact: true }).click();
    const first = drawer.getByRole("button", { name: /^Rules/ });
    await first.waitFor();
    const last = await drawer.getByRole("button", { name: /^Advanced/ }).boundingBox();
    const isFocused = await first.evaluate((button) => button === button.ownerDocument.activeElement);
    const save = await drawer.getByRole("button", { name: "Create link" }).boundingBox();
    await page.context().close();

    expect(isFocused).toBe(true);
    expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(save?.y ?? 0);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the longest slug, title and description fit the drawer, on a phone too",
  async () => {
    const key = "k".repeat(190);
    const countries = ["AT", "CH", "CN", "DE", "FR", "GB", "US"].map((code) => [code, "https://example.com/"]);
    const { id } = await newLink({
      geo: Object.fromEntries(countries),
      ios: "https://example.com/ios",
      android: "https://example.com/android",
      url: `https://${"long-host.".repeat(15)}example.com/${"path".repeat(200)}`,
      key,
      title: "T".repeat(120),
      description: "D".repeat(240),
    });
    const overflows: string[] = [];

    for (const width of [390, 1024, 1440]) {
      const page = await world.newPage({ viewport: { width, height: 844 } });
      await page.goto(world.url(`/links?edit=${id}`));
      const drawer = page.getByRole("dialog", { name: "Edit link", exact: true });
      await drawer.getByLabel("Title").waitFor();
      await drawer.getByText("D".repeat(240)).waitFor();
      overflows.push(...(await overflowsOf(page)).map((overflow) => `${overflow} at ${width} pixels`));
      await page.context().close();
    }

    expect(overflows).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
