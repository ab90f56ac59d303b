import type { Page } from "playwright-core";
import { localized, localizedBy } from "./localized.ts";
import { choose, openCalendar, openCounted, openMenu, press, selectLinks } from "./steps.ts";
import type { Picture } from "./world.ts";

const report = "/w/1/analytics?interval=90d";

/** The label of the workspace menu's button. */
export const workspaceMenu = localizedBy(({ shell }) => `${shell.switchWorkspace}: Kestrel Coffee`);

/** The start of the label of the comparison's button, before its dates. */
const comparedPeriod = /^(Previous period|Vorheriger Zeitraum|上一时间段)/;

/** TABLE of menus, popovers and messages over a page. */
export const menus: Record<string, Picture> = {
  "dashboard-workspace-menu": {
    path: "/w/1/links?order=mostClicked",
    prepare: (page) => openMenu(page, workspaceMenu),
  },
  "dashboard-link-menu": {
    path: "/w/1/links?order=mostClicked",
    prepare: (page) =>
      openMenu(
        page,
        localizedBy(({ links }) => links.list.more("https://kestrel.link/autumn")),
      ),
  },
  "dashboard-links-filters": { path: "/w/1/links?order=mostClicked", prepare: (page) => choose(page, "Filter") },
  "dashboard-range": {
    path: report,
    isTakenInAllLanguages: true,
    prepare: (page) =>
      choose(
        page,
        localizedBy(({ analytics }) => `${analytics.range}: ${analytics.intervals["90d"]}`),
      ),
  },
  "dashboard-compare": { path: report, isTakenInAllLanguages: true, prepare: (page) => choose(page, comparedPeriod) },
  "dashboard-zoom": { path: report, prepare: selectInChart },
  "dashboard-calendar": {
    path: "/w/1/analytics?start=2026-11-01T09:30&end=2026-11-20T18:00",
    isTakenInAllLanguages: true,
    async prepare(page) {
      await press(page, /2026/);
      await openCalendar(page);
    },
  },
  "dashboard-filter": { path: report, isTakenInAllLanguages: true, prepare: (page) => choose(page, "Filter") },
  "dashboard-filter-values": { path: report, isTakenInAllLanguages: true, prepare: filterByCountry },
  "dashboard-count-menu": { path: report, prepare: openCounted },
  "dashboard-links-archived": {
    path: ({ scratch }) => `/w/${scratch.workspaceId}/links`,
    async prepare(page, { scratch }) {
      await scratch.tidy();
      await page.reload({ waitUntil: "networkidle" });
      await selectLinks(page);
      await press(page, "Archive");
      await page.getByRole("button", { name: localized("Undo") }).waitFor();
      await page.waitForLoadState("networkidle");
    },
  },
};

/** Selects a part of the chart with the keyboard. */
async function selectInChart(page: Page): Promise<void> {
  const chart = page.getByRole("slider");
  await chart.press("ArrowLeft");
  for (let step = 0; step < 4; step++) await chart.press("Shift+PageDown");
}

async function filterByCountry(page: Page): Promise<void> {
  await choose(page, "Filter");
  await page.getByRole("option", { name: localized("Country") }).click();
  await page.getByRole("option").first().waitFor();
  await page.waitForLoadState("networkidle");
}
