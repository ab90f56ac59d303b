import type { Page } from "playwright-core";
import { z } from "zod";
import { type StoredState, slugOf } from "../domain-certificates.ts";
import { localized } from "./localized.ts";
import { chooseInReport } from "./steps.ts";
import { certifiedSuffix, type Picture, type PictureWorld } from "./world.ts";

/** TABLE of empty pages and other rare states, which only checks and reviews open. */
export const dashboardStates: Record<string, Picture> = {
  "links-empty": inEmpty("/links"),
  "links-none-found": { path: "/w/1/links?search=nothing-has-this" },
  "links-archived": { path: "/w/1/links?archived=true" },
  "analytics-empty": inEmpty("/analytics"),
  "analytics-none-found": { path: "/w/1/analytics?city=Nowhere" },
  "analytics-tables": { path: "/w/1/analytics?interval=90d&tables=series,map,week&metric=visitors&country=-FR" },
  "domains-empty": inEmpty("/domains"),
  "domains-archived": { path: "/w/1/domains?archived=true" },
  "domain-verified": { path: "/w/1/domains/kestrel.link" },
  "certificates-listed": { path: ({ certifiedWorkspaceId }) => `/w/${certifiedWorkspaceId}/domains` },
  "certificate-ordering": inCertified("ordering"),
  "certificate-waiting": inCertified("waiting"),
  "certificate-valid": inCertified("valid"),
  "certificate-renewal-failed": inCertified("renewalFailed"),
  "certificate-failed": inCertified("failed"),
  "certificate-expired": inCertified("expired"),
  "domain-gone": { path: "/w/1/domains/nowhere.example.com" },
  "members-alone": inEmpty("/settings/members"),
  "keys-empty": inEmpty("/settings/keys"),
  "utm-empty": inEmpty("/settings/utm-templates"),
  "tags-empty": inEmpty("/links?manage=tags"),
  "folders-empty": inEmpty("/links?manage=folders"),
  "workspace-gone": { path: "/w/999/links" },
  "share-wrong-password": {
    path: ({ lockedShare }) => lockedShare,
    by: "nobody",
    async prepare(page) {
      await page.getByLabel(localized("Password")).fill("close sesame");
      await page.getByRole("button", { name: localized("Open") }).click();
      await page.getByText(localized("Incorrect password.")).waitFor();
    },
  },
  "sign-in-wrong-password": {
    path: "/sign-in",
    by: "nobody",
    async prepare(page) {
      await page.getByLabel(localized("E-mail")).fill("nobody@example.com");
      await page.getByLabel(localized("Password")).fill("a password of nobody");
      await page.getByRole("button", { name: localized("Sign in") }).click();
      await page.getByRole("alert").waitFor();
    },
  },
  "links-of-viewer": { path: "/w/1/links", by: "viewer" },
  "link-of-viewer": { path: ({ fullLinkId }) => `/w/1/links?edit=${fullLinkId}`, by: "viewer" },
  "domain-of-viewer": { path: "/w/1/domains/go.kestrel.coffee?tab=settings", by: "viewer" },
  "settings-of-viewer": { path: "/w/1/settings", by: "viewer" },
  "members-of-viewer": { path: "/w/1/settings/members", by: "viewer" },
  "keys-of-viewer": { path: "/w/1/settings/keys", by: "viewer" },
  "script-missing": { path: "/w/1/links", prepare: openWithoutScript },
  "share-without-subject": {
    path: "/w/1/analytics",
    prepare: (page) => chooseInReport(page, "Share analytics"),
  },
};

function inEmpty(path: string): Picture {
  return { path: ({ emptyWorkspaceId }: PictureWorld) => `/w/${emptyWorkspaceId}${path}` };
}

/** The card of the certificate on the page of a domain. */
function inCertified(state: StoredState): Picture {
  return {
    path: ({ certifiedWorkspaceId }) => `/w/${certifiedWorkspaceId}/domains/${slugOf(state, certifiedSuffix)}`,
    async prepare(page) {
      const about = page.getByText(localized("Whether a certificate authority may issue one for HTTPS."));
      await about.evaluate((hint) => hint.scrollIntoView({ block: "center" }));
    },
  };
}

/** Opens a page whose script is missing: the server answers 404 for every script that is not loaded yet. */
async function openWithoutScript(page: Page): Promise<void> {
  const loaded = z
    .array(z.string())
    .parse(await page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)"));
  await page.route("**/*.js", (route) =>
    loaded.includes(route.request().url()) ? route.continue() : route.fulfill({ status: 404 }),
  );
  await page.locator("nav a[href$='/domains']").click();
  await page.getByRole("heading", { name: localized("This page couldn’t be shown") }).waitFor();
}
