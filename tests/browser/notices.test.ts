/** Messages above the page when something fails. */
import { expect, test } from "bun:test";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const refuseCopies = "navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))";

const world = openWalks();

test(
  "a palette whose script fails to load leaves the page intact, and works after a reload",
  async () => {
    const page = await world.newPage();
    await page.goto(world.url("/settings"));
    const name = page.getByLabel("Workspace name");
    await name.fill("Half typed");
    await page.route("**/assets/*.js", (route) => route.fulfill({ status: 503 }));
    await page.keyboard.press("Control+k");
    await page.getByText("This part of the page didn’t load.").first().waitFor();

    expect(await name.inputValue()).toBe("Half typed");
    await page.unroute("**/assets/*.js");
    await page.reload();
    await name.waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Search and commands" }).waitFor();
  },
  walkMsMax,
);

test(
  "on a phone a message does not cover the buttons of a dialog",
  async () => {
    const page = await world.newPage({ viewport: { width: 360, height: 640 } });
    await page.addInitScript(refuseCopies);
    await page.goto(world.url("/settings/keys?add=true"));
    await page.getByLabel("Name").fill("On a phone");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("button", { name: "Copy key" }).click();
    const notice = page.getByText("Your browser didn’t allow copying.").first();
    await notice.waitFor();

    const done = page.getByRole("dialog").getByRole("button", { name: "Done" });
    const [noticed, button] = [await notice.boundingBox(), await done.boundingBox()];
    await done.click();
    await page.getByRole("button", { name: "Close anyway" }).click();

    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect((noticed?.y ?? 0) + (noticed?.height ?? 0)).toBeLessThan(button?.y ?? 0);
  },
  walkMsMax,
);

test(
  "on a phone a menu opens above a message, and the message leaves the header free",
  async () => {
    const key = "above-a-message";
    await world.server.call("POST", "/links", { body: { url: "https://example.com/above", key } });
    const page = await world.newPage({ viewport: { width: 360, height: 640 } });
    await page.addInitScript(refuseCopies);
    await page.goto(world.url(`/links?search=${key}`));
    await page.getByRole("button", { name: "Copy short link" }).click();
    const notice = page.getByText("Your browser didn’t allow copying.").first();
    await notice.waitFor();

    // A click fails when another element covers its target.
    await page.getByRole("button", { name: "Your account" }).click();
    const profile = page.getByRole("menuitem", { name: "Profile" });
    const [noticed, item] = [await notice.boundingBox(), await profile.boundingBox()];
    await profile.click();
    await page.waitForURL(/\/account$/);

    expect(noticed?.y ?? 0).toBeLessThan((item?.y ?? 0) + (item?.height ?? 0));
  },
  walkMsMax,
);

test(
  "a message appears when the browser refuses to copy a new link",
  async () => {
    const page = await world.newPage();
    await page.addInitScript(refuseCopies);
    await page.goto(world.url("/links?create=1"));
    const drawer = page.getByRole("dialog", { name: "New link" });
    await drawer.getByRole("textbox", { name: "Destination" }).fill("https://example.com/copied");
    await drawer.getByRole("button", { name: "Create link" }).click();
    await drawer.waitFor({ state: "detached" });
    await page
      .getByRole("region", { name: /Messages/ })
      .getByRole("button", { name: "Copy short link" })
      .click();

    await page.getByText("Your browser didn’t allow copying.").first().waitFor();
    expect(world.pageErrors.filter((pageError) => !pageError.includes("503"))).toEqual([]);
  },
  walkMsMax,
);
