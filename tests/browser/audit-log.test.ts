/** The audit log in a real browser. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { newPerson } from "../support/dashboard.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { ownerKey } from "../support/server.ts";
import { newMember } from "../support/tenants.ts";

const world = openWalks();

test(
  "an owner sees who changed a role, filters by type, and downloads the matching entries",
  async () => {
    const { page, server } = world;
    const { userId } = await newMember(server, 1, "viewer");
    await server.call("PATCH", `/workspaces/1/members/${userId}`, { key: ownerKey, body: { role: "member" } });

    await page.goto(world.url("/settings"));
    await page.getByRole("link", { name: "Audit log" }).click();
    const change = page.getByRole("listitem").filter({ hasText: "Role changed" });
    await change.waitFor();
    const text = await change.innerText();
    await page.getByLabel("Type").selectOption("signIn");
    await change.waitFor({ state: "detached" });
    await page.getByText("Signed in").first().waitFor();
    await page.getByLabel("Type").selectOption("member");
    await change.waitFor();
    await page.getByRole("button", { name: "Download" }).click();
    const downloading = page.waitForEvent("download");
    // Without the browser's own file dialog, which no test can answer.
    await page.evaluate("delete window.showSaveFilePicker");
    await page.getByRole("menuitem", { name: "CSV" }).click();
    const file = readFileSync(await (await downloading).path(), "utf8");

    expect(text).toMatch(/Before:\s*Viewer[\s\S]*After:\s*Member/);
    expect(file).toMatch(/^id,at,type,/);
    expect(file).toContain(",member.updated,");
    expect(file).not.toContain("signIn.succeeded");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a member is told that only owners see the audit log",
  async () => {
    const { email, password } = await newPerson(world.server, "member");
    const page = await world.newPage({}, { email, password });

    await page.goto(world.url("/settings/audit-log"));

    await page.getByText("Only owners of this workspace").waitFor();
    expect(await page.getByRole("button", { name: "Download" }).count()).toBe(0);
  },
  walkMsMax,
);
