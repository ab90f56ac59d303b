/** The dashboard when one call of several fails, or the browser refuses to copy. */
import { expect, test } from "bun:test";
import type { Route } from "playwright-core";
import { z } from "zod";
import { linkAt, newLink, openList, row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { eventually, ownerKey } from "../support/server.ts";

const unavailable = { status: 503, json: { error: { code: "unavailable", message: "The database is away." } } };

const world = openWalks();

test(
  "a new key is shown even if the call that ends the old key fails, and that call can be retried",
  async () => {
    const { server } = world;
    const page = await world.newPage();
    await server.call("POST", "/api-keys", { key: ownerKey, body: { name: "Reports" } });
    await page.goto(world.url("/settings/keys"));
    const refuse = (route: Route) =>
      route.request().method() === "PATCH" ? route.fulfill(unavailable) : route.continue();
    await page.route("**/v1/api-keys/*", refuse);
    await page.getByRole("button", { name: "Actions for Reports" }).click();
    await page.getByRole("menuitem", { name: "Rotate" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();

    await page.getByText("The old key couldn’t be revoked").waitFor();
    const key = await page.getByLabel("API key", { exact: true }).innerText();
    await page.unroute("**/v1/api-keys/*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("The old key couldn’t be revoked").waitFor({ state: "hidden" });
    const { status } = await server.call("GET", "/links", { key });

    expect(status).toBe(200);
  },
  walkMsMax,
);

test(
  "a dialog copies its text on a page over plain HTTP too",
  async () => {
    const page = await world.newPage({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.addInitScript("Object.defineProperty(window, 'isSecureContext', { value: false })");
    await page.goto(world.url("/settings/keys?add=true"));
    await page.getByLabel("Name").fill("Copied");
    await page.getByRole("button", { name: "Create" }).click();
    const key = await page.getByLabel("API key", { exact: true }).innerText();
    await page.getByRole("button", { name: "Copy key" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();

    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(key);
  },
  walkMsMax,
);

test(
  "a message appears when the browser refuses to copy a text",
  async () => {
    const page = await world.newPage();
    await page.addInitScript("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))");
    await world.server.call("POST", "/domains", { body: { slug: "copied.example.org" } });
    await page.goto(world.url("/domains/copied.example.org"));
    await page.getByRole("button", { name: /^Copy/ }).first().click();

    await page.getByText("Your browser didn’t allow copying.").first().waitFor();
    expect(await page.getByRole("button", { name: "Copied" }).count()).toBe(0);
  },
  walkMsMax,
);

test(
  "a share whose revocation fails reappears, and one revoked at the same time does not",
  async () => {
    const { server } = world;
    const page = await world.newPage();
    const link = await server.call("POST", "/links", { body: { url: "https://example.com/", key: "shared" } });
    const { id: linkId } = z.object({ id: z.string() }).parse(link.body);
    const shared = await server.call("POST", "/shares", { body: { linkId, name: "For the agency" } });
    const { id } = z.object({ id: z.string() }).parse(shared.body);
    await server.call("POST", "/shares", { body: { linkId, name: "For the press" } });
    const otherIsDone = Promise.withResolvers<void>();
    await page.route(`**/v1/shares/${id}*`, async (route) => {
      await otherIsDone.promise;
      await route.fulfill(unavailable);
    });
    await page.goto(world.url(`/analytics?linkId=${linkId}`));
    await page.getByRole("button", { name: "Share analytics" }).click();
    for (const name of ["For the agency", "For the press"]) {
      const item = page.getByRole("listitem").filter({ hasText: name });
      await item.getByRole("button", { name: "Revoke" }).click();
      await item.getByRole("button", { name: "Revoke permanently?" }).click();
      await item.waitFor({ state: "hidden" });
    }
    await page.getByText("Share link revoked.").first().waitFor();
    otherIsDone.resolve();

    await page.getByText("For the agency").waitFor();
    await page.getByText("The database is away.").first().waitFor();
    expect(await page.getByText("For the press").count()).toBe(0);
  },
  walkMsMax,
);

test(
  "a link whose archiving fails is restored with a message, and one archived at the same time stays archived",
  async () => {
    const { server } = world;
    const page = await world.newPage();
    for (const key of ["filed-badly", "filed-well"]) await newLink(server, { url: "https://example.com/", key });
    const otherIsDone = Promise.withResolvers<void>();
    const abortLater = async (route: Route) => {
      await otherIsDone.promise;
      await route.abort();
    };
    await page.route("**/v1/links/bulk*", abortLater, { times: 1 });
    await openList(page, world.url("/links?search=filed-&archived=true"), "2 links");
    const archivedBadge = (key: string) => row(page, key).getByText("Archived", { exact: true });
    for (const key of ["filed-badly", "filed-well"]) {
      await row(page, key)
        .getByRole("button", { name: /^Actions for/ })
        .click();
      await page.getByRole("menuitem", { name: "Archive" }).click();
      await archivedBadge(key).waitFor();
    }
    await page.getByText("Link archived").first().waitFor();
    // Holds the list back, so that the test reads the badges before the page refetches it.
    const badgesAreRead = Promise.withResolvers<void>();
    await page.route(/\/v1\/links\?/, async (route) => {
      await badgesAreRead.promise;
      await route.continue();
    });
    otherIsDone.resolve();

    await page
      .getByText(/\/filed-badly couldn’t be changed\. Waypost can’t be reached/)
      .first()
      .waitFor();
    await archivedBadge("filed-badly").waitFor({ state: "detached" });
    const badges = await archivedBadge("filed-well").count();
    badgesAreRead.resolve();
    expect(badges).toBe(1);
    expect((await linkAt(server, "filed-badly"))?.archived).toBe(false);
    expect((await linkAt(server, "filed-well"))?.archived).toBe(true);
  },
  walkMsMax,
);

test(
  "a link that is being archived stays archived when the list is read before the server has answered",
  async () => {
    const { server } = world;
    const page = await world.newPage();
    const first = await newLink(server, { url: "https://example.com/", key: "pending-first" });
    await newLink(server, { url: "https://example.com/", key: "pending-second" });
    const canArchive = Promise.withResolvers<void>();
    const archiveLater = async (route: Route) => {
      await canArchive.promise;
      await route.continue();
    };
    await page.route("**/v1/links/bulk*", archiveLater, { times: 1 });
    await openList(page, world.url("/links?search=pending-&archived=true"), "2 links");
    const archive = async (key: string) => {
      await row(page, key)
        .getByRole("button", { name: /^Actions for/ })
        .click();
      await page.getByRole("menuitem", { name: "Archive" }).click();
    };
    const archivedBadge = (key: string) => row(page, key).getByText("Archived", { exact: true });

    await archive("pending-first");
    await archivedBadge("pending-first").waitFor();
    await server.call("PATCH", `/links/${first.id}`, { body: { title: "Read again" } });
    await archive("pending-second");
    await row(page, "pending-first").getByText("Read again").waitFor();
    const badges = await archivedBadge("pending-first").count();
    canArchive.resolve();

    expect(badges).toBe(1);
    await eventually(
      () => linkAt(server, "pending-first"),
      (link) => link?.archived === true,
    );
  },
  walkMsMax,
);

test(
  "a page that does not exist keeps the navigation of its workspace",
  async () => {
    const page = await world.newPage();
    await page.goto(world.url("/nowhere"));

    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await page.getByRole("navigation", { name: "Main navigation" }).getByRole("link", { name: "Links" }).click();

    await page.waitForURL(/\/links/);
  },
  walkMsMax,
);
