import type { Page } from "playwright-core";
import { localized, localizedBy } from "./localized.ts";
import { choose, chooseForSelected, chooseInMenu, dialog, opened, press } from "./steps.ts";
import type { Picture } from "./world.ts";

const domainSettings = "/w/1/domains/go.kestrel.coffee?tab=settings";
const firstKey = localizedBy((texts) => texts.settings.keyActions("First key"));

/** TABLE of the dialogs that ask for confirmation, and of those that show a secret once. */
export const confirmDialogs: Record<string, Picture> = {
  "dashboard-links-delete": {
    path: "/w/1/links?order=mostClicked",
    prepare: (page) => chooseForSelected(page, "Delete"),
  },
  "dashboard-link-discard": {
    path: "/w/1/links?create=1",
    async prepare(page) {
      await page.getByLabel(localized("Destination")).first().fill("https://kestrel.coffee/shop/winter");
      await page.keyboard.press("Escape");
      await page.getByRole("heading", { name: localized("Discard changes?") }).waitFor();
    },
  },
  "dashboard-link-conflict": {
    path: ({ contestedLinkId }) => `/w/1/links?edit=${contestedLinkId}`,
    async prepare(page, { server, contestedLinkId }) {
      const comment = (comments: string | null) =>
        server.call("PATCH", `/links/${contestedLinkId}`, { body: { comments } });
      await comment(null);
      await page.reload({ waitUntil: "networkidle" });
      await dialog(page).getByLabel(localized("Destination")).first().fill("https://kestrel.coffee/shop/spring");
      await comment("Not before March.");
      await press(dialog(page), "Save changes");
      await dialog(page).getByRole("alert").waitFor();
    },
  },
  "dashboard-domain-rename": { path: domainSettings, prepare: (page) => choose(page, "Rename") },
  "dashboard-domain-delete": { path: domainSettings, prepare: (page) => choose(page, "Delete domain") },
  "dashboard-retention": {
    path: "/w/1/settings",
    async prepare(page) {
      await page.getByLabel(localized("Keep clicks for")).selectOption("90");
      const card = page.locator("section, form", { has: page.getByLabel(localized("Keep clicks for")) });
      await press(card.last(), "Save changes");
      await opened(page);
    },
  },
  "dashboard-workspace-leave": { path: "/w/1/settings", prepare: (page) => choose(page, "Leave workspace") },
  "dashboard-workspace-delete": { path: "/w/1/settings", prepare: (page) => choose(page, "Delete workspace") },
  "dashboard-member-remove": {
    path: "/w/1/settings/members",
    prepare: (page) =>
      choose(
        page,
        localizedBy((texts) => texts.settings.removeMember("Jonas Lindqvist")),
      ),
  },
  "dashboard-key-shown": {
    path: ({ scratch }) => `/w/${scratch.workspaceId}/settings/keys?add=true`,
    prepare: createKey,
  },
  "dashboard-key-uncopied": {
    path: ({ scratch }) => `/w/${scratch.workspaceId}/settings/keys?add=true`,
    async prepare(page) {
      await createKey(page);
      await page.keyboard.press("Escape");
      await page.getByRole("heading", { name: localized("Close without copying?") }).waitFor();
    },
  },
  "dashboard-key-rename": {
    path: "/w/1/settings/keys",
    prepare: (page) => chooseInMenu(page, firstKey, "Rename"),
  },
  "dashboard-key-rotate": {
    path: "/w/1/settings/keys",
    prepare: (page) => chooseInMenu(page, firstKey, "Rotate"),
  },
  "dashboard-key-revoke": {
    path: "/w/1/settings/keys",
    prepare: (page) => chooseInMenu(page, firstKey, "Revoke"),
  },
};

async function createKey(page: Page): Promise<void> {
  await dialog(page).getByLabel(localized("Name")).fill("Website");
  await dialog(page).locator("button[type=submit]").click();
  await page.getByRole("heading", { name: localized("API key created") }).waitFor();
}
