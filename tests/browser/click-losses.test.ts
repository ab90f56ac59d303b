/** The note about lost clicks, on a server whose click store was removed before the start. */
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { waypost } from "../support/command.ts";
import { waitUntilDrained } from "../support/counted-once.ts";
import { newPerson } from "../support/dashboard.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { removeStore } from "../support/removed-store.ts";
import { browser, eventually, type TestServer } from "../support/server.ts";

const path = "/workspaces/1/click-losses";
const world = openWalks({}, async (server) => {
  await server.call("POST", "/links", { body: { url: "https://example.com/", key: "lost" } });
  await server.visit("/lost", { headers: browser });
  await waitUntilDrained(server);
  await server.end("SIGTERM");
  removeStore(server);
  // The spool is removed too: while it holds all clicks, none is missing.
  rmSync(join(server.data, "spool"), { recursive: true });
  const restarted = await server.restart();
  await eventually(
    () => losses(restarted),
    (kinds) => kinds.length === 1,
  );
  return restarted;
});

async function losses(server: TestServer): Promise<unknown[]> {
  const { body } = await server.call("GET", path);
  return Array.isArray(body) ? body : [];
}

test(
  "owners see that stored clicks are missing until the operator accepts the loss; members do not",
  async () => {
    const { page, server } = world;
    const member = await newPerson(server, "member");
    const memberPage = await world.newPage({}, member);
    const requests: string[] = [];
    memberPage.on("request", (request) => requests.push(new URL(request.url()).pathname));
    const note = /^Stored clicks are missing/;

    await page.goto(world.url("/links"));
    await page.getByText(note).waitFor();
    await memberPage.goto(world.url("/links"));
    await memberPage.getByText("1 link", { exact: true }).waitFor();
    const refusal = await server.call("GET", path, { key: await member.dashboard.token() });
    await waypost(["clicks", "accept-loss"], server);
    await eventually(
      () => losses(server),
      (kinds) => kinds.length === 0,
    );
    const answered = page.waitForResponse((response) => new URL(response.url()).pathname === `/v1${path}`);
    await page.reload();
    await answered;
    await page.getByText("1 link", { exact: true }).waitFor();

    expect(await memberPage.getByText(note).count()).toBe(0);
    expect(requests).not.toContain(`/v1${path}`);
    expect(refusal.status).toBe(403);
    expect(await page.getByText(note).count()).toBe(0);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
