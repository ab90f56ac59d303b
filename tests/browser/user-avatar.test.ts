/** The picture of a person in a real browser: uploaded in the profile, seen by a colleague. */
import { expect, test } from "bun:test";
import { PNG } from "pngjs";
import { accessibilityErrorsOf, newPerson } from "../support/dashboard.ts";
import { newLink } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const world = openWalks();

test(
  "a person uploads a picture, a colleague sees it at the links, and its owner removes it",
  async () => {
    const { page, server } = world;
    const { email, password } = await newPerson(server);
    await newLink(server, { url: "https://example.com/pictured", key: "pictured" });
    const photo = PNG.sync.write(new PNG({ width: 600, height: 400 }));

    await page.goto(world.url("/account"));
    await page
      .getByLabel("Picture", { exact: true })
      .last()
      .setInputFiles({ name: "me.png", mimeType: "image/png", buffer: photo });
    const picture = page.locator("main img[src*='/app/user-avatars/']");
    await picture.waitFor();
    const errors = await accessibilityErrorsOf(page);

    const colleague = await world.newPage({}, { email, password });
    await colleague.goto(world.url("/links?search=pictured"));
    const seen = colleague.locator("main img[src*='/app/user-avatars/']").first();
    await seen.waitFor();
    // The page of the test has no types of the browser. The picture is scaled down before it is sent.
    await colleague.waitForFunction(
      `[...document.querySelectorAll("main img[src*='/app/user-avatars/']")].some((image) => image.naturalWidth === 256)`,
    );

    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await picture.waitFor({ state: "detached" });
    expect(errors).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
