import { eventually } from "../server.ts";
import { localized } from "./localized.ts";
import { showLiveClicks } from "./steps.ts";
import type { Picture } from "./world.ts";

/** TABLE of the dashboard's pages, by the names of their pictures. */
export const dashboardPages: Record<string, Picture> = {
  "dashboard-sign-in": { path: "/sign-in", by: "nobody" },
  "dashboard-forgot-password": { path: "/forgot-password", by: "nobody" },
  "dashboard-welcome": { path: "/w/1/welcome" },
  "dashboard-welcome-watch": {
    path: ({ fullLinkId }) => `/w/1/welcome?link=${fullLinkId}`,
    isLive: true,
    async prepare(page) {
      await page.getByText(localized("Waiting for the first click…")).waitFor();
      const code = page.locator("main img").first();
      const widthOf = () => code.evaluate((image) => ("naturalWidth" in image ? Number(image.naturalWidth) : 0));
      await eventually(widthOf, (width) => width > 0);
    },
  },
  "dashboard-links": { path: "/w/1/links?order=mostClicked" },
  "dashboard-analytics": { path: "/w/1/analytics?interval=90d" },
  "dashboard-analytics-below": {
    path: "/w/1/analytics?interval=90d",
    async prepare(page) {
      await page.getByRole("heading", { name: localized("World map") }).scrollIntoViewIfNeeded();
      await page.getByText(localized("Choose a country to filter by it.")).waitFor();
      await page.waitForLoadState("networkidle");
    },
  },
  "dashboard-live": {
    path: "/w/1/analytics?interval=90d",
    async prepare(page) {
      await showLiveClicks(page);
      await page.getByText(localized("Listening")).waitFor();
    },
  },
  "dashboard-share": { path: ({ share }) => share, by: "nobody" },
  "dashboard-share-password": { path: ({ lockedShare }) => lockedShare, by: "nobody" },
  "dashboard-share-gone": { path: "/shares/revoked", by: "nobody" },
  "dashboard-domains": { path: "/w/1/domains" },
  "dashboard-domain": { path: "/w/1/domains/go.kestrel.coffee" },
  "dashboard-domain-settings": { path: "/w/1/domains/go.kestrel.coffee?tab=settings" },
  "dashboard-domain-apps": { path: "/w/1/domains/go.kestrel.coffee?tab=apps" },
  "dashboard-settings-workspace": { path: "/w/1/settings" },
  "dashboard-settings-members": { path: "/w/1/settings/members" },
  "dashboard-settings-keys": { path: "/w/1/settings/keys" },
  "dashboard-settings-utm": { path: "/w/1/settings/utm-templates" },
  "dashboard-settings-audit-log": { path: "/w/1/settings/audit-log" },
  "dashboard-account-security": { path: "/w/1/account/security" },
  "dashboard-account": { path: "/w/1/account" },
  "dashboard-account-notifications": { path: "/w/1/account/notifications" },
  "dashboard-account-theme": { path: "/w/1/account/theme" },
  "dashboard-no-workspace": { path: "/", by: "formerMember" },
  "dashboard-not-found": { path: "/w/1/nowhere" },
};
