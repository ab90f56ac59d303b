import type { Page } from "playwright-core";
import { localized, localizedBy } from "./localized.ts";
import { passkeyNames } from "./secured-account.ts";
import { choose, chooseInMenu, dialog, openMenu, press } from "./steps.ts";
import { type Picture, secured, viewer } from "./world.ts";

const users = "/w/1/administration/users";
const workspaces = "/w/1/administration/workspaces";
const actionsFor = (name: string) => localizedBy(({ administration }) => administration.actionsFor(name));
const disconnect = localizedBy(({ identities }) => identities.disconnectOne("id.example.com"));
const passkeyActions = localizedBy(({ passkeys }) => passkeys.actionsFor(passkeyNames[0]));

/** TABLE of the administration's pages and dialogs, and of those of a person's account, which only checks and reviews open. */
export const accountPictures: Record<string, Picture> = {
  "administration-users": { path: users, by: "administrator" },
  "administration-workspaces": { path: workspaces, by: "administrator" },
  "administration-domains": { path: "/w/1/administration/domains", by: "administrator" },
  "administration-blocks": { path: "/w/1/administration/blocks", by: "administrator" },
  "administration-nodes": { path: "/w/1/administration/nodes", by: "administrator" },
  "administration-none-found": {
    path: users,
    by: "administrator",
    async prepare(page) {
      await page.getByRole("searchbox").fill("nobody has this name");
      await page.getByText(localized("Nothing found.")).waitFor();
    },
  },
  "administration-user-menu": {
    path: users,
    by: "administrator",
    prepare: (page) => openMenu(page, actionsFor("Jonas Lindqvist")),
  },
  "administration-user-disable": {
    path: users,
    by: "administrator",
    prepare: (page) => chooseInMenu(page, actionsFor("Jonas Lindqvist"), "Disable account"),
  },
  "administration-user-disconnect": {
    path: users,
    by: "administrator",
    async prepare(page) {
      await chooseInMenu(page, actionsFor("Jonas Lindqvist"), "Disconnect single sign-on");
      await dialog(page).getByText("jonas@id.example.com").waitFor();
    },
  },
  "administration-user-block": {
    path: users,
    by: "administrator",
    prepare: (page) => chooseInMenu(page, actionsFor("Jonas Lindqvist"), "Block"),
  },
  "administration-user-delete": {
    path: users,
    by: "administrator",
    async prepare(page) {
      await chooseInMenu(page, actionsFor("Jonas Lindqvist"), "Delete account");
      await saveFirst(page);
    },
  },
  "administration-transfer": {
    path: workspaces,
    by: "administrator",
    prepare: (page) => chooseInMenu(page, actionsFor("Kestrel Coffee"), "Transfer"),
  },
  "administration-limits": {
    path: workspaces,
    by: "administrator",
    async prepare(page) {
      await chooseInMenu(page, actionsFor("Kestrel Coffee"), "Limits");
      await dialog(page).getByRole("spinbutton").first().waitFor();
    },
  },
  "administration-block": {
    path: "/w/1/administration/blocks",
    by: "administrator",
    prepare: (page) => choose(page, "Block a link or host"),
  },
  "account-delete": {
    path: "/w/1/account",
    by: "viewer",
    prepare: (page) => choose(page, "Delete account"),
  },
  "account-delete-saved": {
    path: "/w/1/account",
    by: "viewer",
    async prepare(page) {
      await choose(page, "Delete account");
      await saveFirst(page);
    },
  },
  "passkey-add": {
    path: "/w/1/account/security",
    by: "viewer",
    prepare: (page) => choose(page, "Add passkey"),
  },
  "passkey-rename": {
    path: "/w/1/account/security",
    by: "secured",
    prepare: (page) => chooseInMenu(page, passkeyActions, "Rename"),
  },
  "passkey-remove": {
    path: "/w/1/account/security",
    by: "secured",
    prepare: (page) => chooseInMenu(page, passkeyActions, "Remove"),
  },
  "identity-disconnect": {
    path: "/w/1/account/security",
    by: "secured",
    prepare: (page) => choose(page, disconnect),
  },
  "two-factor-on": { path: "/w/1/account/security", by: "secured" },
  "two-factor-off": {
    path: "/w/1/account/security",
    by: "secured",
    prepare: (page) => choose(page, "Turn off"),
  },
  "two-factor-scan": {
    path: "/w/1/account/security",
    by: "viewer",
    async prepare(page) {
      await choose(page, "Turn on");
      await confirmPassword(page, viewer.password, "Continue");
      await dialog(page).getByRole("img").waitFor();
    },
  },
  "two-factor-recovery-codes": {
    path: "/w/1/account/security",
    by: "secured",
    async prepare(page) {
      await choose(page, "New recovery codes");
      await confirmPassword(page, secured.password, "Create codes");
      await dialog(page).getByRole("listitem").first().waitFor();
    },
  },
  "two-factor-sign-in": {
    path: "/sign-in",
    by: "nobody",
    async prepare(page) {
      await page.getByLabel(localized("E-mail")).fill(secured.email);
      await page.getByLabel(localized("Password")).fill(secured.password);
      await press(page, "Sign in");
      await page.getByLabel(localized("Code")).waitFor();
    },
  },
};

async function confirmPassword(page: Page, password: string, button: string): Promise<void> {
  await dialog(page).getByLabel(localized("Current password")).fill(password);
  await press(dialog(page), button);
}

async function saveFirst(page: Page): Promise<void> {
  await press(dialog(page), "Save data");
  await dialog(page).getByRole("status").waitFor();
}
