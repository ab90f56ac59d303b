import type { Page } from "playwright-core";
import { localized } from "./localized.ts";
import { workspaceMenu } from "./menus.ts";
import {
  choose,
  chooseForSelected,
  chooseInMenu,
  chooseInReport,
  dialog,
  openCalendar,
  opened,
  selectLinks,
} from "./steps.ts";
import type { Picture } from "./world.ts";

/** TABLE of dialogs and panels over the dashboard's pages, by the names of their pictures. */
export const dashboardDialogs: Record<string, Picture> = {
  "dashboard-link-drawer": {
    path: "/w/1/links?create=1",
    prepare: (page) =>
      page.getByLabel(localized("Destination")).first().fill("https://kestrel.coffee/shop/winter?utm_source=poster"),
  },
  "dashboard-link-editor": {
    path: ({ linkId }) => `/w/1/links?edit=${linkId}`,
    prepare: (page) => dialog(page).getByLabel(localized("Destination")).first().waitFor(),
  },
  "dashboard-link-disabled": {
    path: ({ disabledLinkId }) => `/w/1/links?search=pop-up&archived=true&edit=${disabledLinkId}`,
    prepare: opened,
  },
  "dashboard-link-parts": {
    path: ({ fullLinkId }) => `/w/1/links?edit=${fullLinkId}`,
    prepare: openSections,
  },
  "dashboard-link-qr": { path: ({ linkId }) => `/w/1/links?qr=${linkId}`, prepare: opened },
  "dashboard-link-share": { path: ({ linkId }) => `/w/1/links?share=${linkId}`, prepare: opened },
  "dashboard-link-qr-styled": {
    path: ({ linkId }) => `/w/1/links?qr=${linkId}`,
    async prepare(page) {
      await opened(page);
      const drawn = page.waitForResponse((answer) => /corners=circle.*frame=banner/.test(answer.url()));
      for (const [group, name] of [
        ["Dots", "Rounded"],
        ["Corners", "Circle"],
        ["Frame", "Banner"],
      ] as const) {
        await dialog(page)
          .getByRole("group", { name: localized(group) })
          .getByRole("button", { name: localized(name) })
          .click();
      }
      await drawn;
    },
  },
  "links-qr-codes": { path: "/w/1/links?order=mostClicked", prepare: (page) => chooseForSelected(page, "QR codes") },
  "dashboard-link-history": { path: ({ fullLinkId }) => `/w/1/links?history=${fullLinkId}`, prepare: opened },
  "dashboard-link-why": {
    path: ({ fullLinkId }) => `/w/1/links?why=${fullLinkId}`,
    async prepare(page) {
      await page.getByLabel(localized("Country")).fill("AT");
      await page.getByLabel(localized("Password entered")).fill("open sesame");
      await page.getByRole("button", { name: localized("Run test") }).click();
      await dialog(page).getByRole("status").locator("section").waitFor();
    },
  },
  "dashboard-tags": { path: "/w/1/links?manage=tags", prepare: opened },
  "dashboard-links-selected": { path: "/w/1/links?order=mostClicked", prepare: selectLinks },
  "dashboard-workspace-new": {
    path: "/w/1/links?order=mostClicked",
    prepare: (page) => chooseInMenu(page, workspaceMenu, "New workspace"),
  },
  "dashboard-breakdown": {
    path: "/w/1/analytics?interval=90d",
    async prepare(page) {
      await page
        .getByRole("region", { name: localized("Locations") })
        .getByRole("button")
        .last()
        .click();
      await opened(page);
    },
  },
  "dashboard-shares": {
    path: ({ linkId }) => `/w/1/analytics?interval=90d&linkId=${linkId}`,
    prepare: (page) => chooseInReport(page, "Share analytics"),
  },
  "dashboard-export": { path: "/w/1/analytics?interval=90d", prepare: (page) => chooseInReport(page, "Export") },
  "dashboard-invite": { path: "/w/1/settings/members?invite=true", prepare: opened },
  "dashboard-key-add": {
    path: "/w/1/settings/keys?add=true",
    prepare: (page) =>
      dialog(page)
        .getByRole("button", { name: localized("Custom") })
        .click(),
  },
  "dashboard-command-palette": {
    path: "/w/1/links",
    async prepare(page) {
      await page.keyboard.press("Control+k");
      await opened(page);
    },
  },
  "dashboard-keyboard": {
    path: "/w/1/links",
    async prepare(page) {
      await page.getByRole("listitem").first().waitFor();
      await page.keyboard.press("?");
      await opened(page);
    },
  },
};

/** TABLE of further dialogs, which only checks and reviews open. */
export const smallDialogs: Record<string, Picture> = {
  folder: {
    path: "/w/1/links?manage=folders",
    async prepare(page) {
      await dialog(page).getByRole("listitem").first().getByRole("button").first().click();
      await dialog(page).getByRole("switch").waitFor();
    },
  },
  "view-save": { path: "/w/1/links?search=kestrel", prepare: (page) => choose(page, "Save view") },
  "links-tag": { path: "/w/1/links?order=mostClicked", prepare: (page) => chooseForSelected(page, "Tag") },
  "links-move": { path: "/w/1/links?order=mostClicked", prepare: (page) => chooseForSelected(page, "Move") },
  "share-edit": {
    path: ({ linkId }) => `/w/1/analytics?interval=90d&linkId=${linkId}`,
    async prepare(page) {
      await chooseInReport(page, "Share analytics");
      await dialog(page)
        .getByRole("button", { name: localized("Edit") })
        .first()
        .click();
      await dialog(page)
        .getByRole("button", { name: localized("Save changes") })
        .waitFor();
    },
  },
  "calendar-of-days": {
    path: "/w/1/links",
    async prepare(page) {
      await choose(page, "Filter");
      await openCalendar(page);
    },
  },
  "domain-add": { path: "/w/1/domains?add=true", prepare: opened },
  "notification-add": {
    path: "/w/1/account/notifications",
    prepare: (page) => choose(page, "Add notification"),
  },
  "notification-edit": {
    path: "/w/1/account/notifications",
    async prepare(page) {
      await page.locator("main li button").nth(1).click();
      await opened(page);
    },
  },
  "utm-add": { path: "/w/1/settings/utm-templates", prepare: (page) => choose(page, "Create template") },
};

/** Opens every section of the form, in a viewport high enough for all of them. */
async function openSections(page: Page): Promise<void> {
  await opened(page);
  const closed = dialog(page).locator("form button[aria-expanded=false]:not([aria-haspopup])");
  while ((await closed.count()) > 0) await closed.first().click();
  const width = page.viewportSize()?.width ?? 0;
  await page.setViewportSize({ width, height: width < 640 ? 5_800 : 3_700 });
  await page.waitForLoadState("networkidle");
}
