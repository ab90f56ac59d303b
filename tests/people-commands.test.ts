/** The operator's commands on people, workspaces and domains, with a running server and without one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { runInProcess } from "./support/command-in-process.ts";
import { engines } from "./support/databases.ts";
import { eventually, startServer, type TestServer } from "./support/server.ts";
import { newMember, newTenant, operate } from "./support/tenants.ts";

const Row = z.looseObject({ id: z.union([z.string(), z.number()]) });

for (const engine of engines) {
  describe(engine, () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startServer({}, engine);
    });
    afterAll(() => server.remove());

    async function run(...args: string[]): Promise<string> {
      const { code, stdout, stderr } = await runInProcess(args, server);
      if (code !== 0) throw new Error(stderr);
      return stdout;
    }
    const keysOf = async (page: object) => z.array(Row).parse(await operate(server, "key list", { ...page }));
    const list = async (...args: string[]) => z.array(Row).parse(JSON.parse(await run(...args, "--json")));

    test("user list prints a table, and with --json one array", async () => {
      const { email, userId } = await newTenant(server);

      const [heading, row, ...more] = (await run("user", "list", "--search", email)).trimEnd().split("\n");

      expect(heading).toMatch(/^ID +E-MAIL +NAME +STATE +ADMINISTRATOR +WORKSPACES +LAST SEEN +CREATED$/);
      expect(row).toMatch(new RegExp(`^${userId} +${email} .* active +no +1 +- +\\d{4}-\\d{2}-\\d{2}$`));
      expect(more).toEqual([]);
      expect(await list("user", "list", "--search", email)).toMatchObject([{ id: userId, state: "active" }]);
    });

    test.each([
      [["user", "sessions", "owner@example.com"], /^ID +BROWSER +LAST SEEN +CREATED$/],
      [["workspace", "list"], /^ID +NAME +OWNERS +MEMBERS +DOMAINS +BLOCKED +CREATED$/],
      [["domain", "list"], /^ID +DOMAIN +STATE +WORKSPACE +BLOCKED +CREATED$/],
      [["key", "list"], /^ID +KEY +NAME +E-MAIL +WORKSPACE +SCOPES +EXPIRES +LAST USED +CREATED$/],
      [["blocks"], /^KIND +TARGET +NAME +REASON +CREATED$/],
      [["user", "blocks"], /^KIND +TARGET +NAME +REASON +CREATED$/],
      [["certificates", "list"], /^NAME +STATE +EXPIRES +NEXT ORDER +LAST PROBLEM$/],
    ])("%p prints a table, and with --json one array", async (args, headings) => {
      const [heading, ...rows] = (await run(...args)).trimEnd().split("\n");

      expect(heading).toMatch(headings);
      expect(JSON.parse(await run(...args, "--json"))).toHaveLength(rows.length);
    });

    test("a list without rows says why, except with --json", async () => {
      const search = ["user", "list", "--search", "nobody"];
      const { stdout, stderr } = await runInProcess(search, server);
      const json = await runInProcess([...search, "--json"], server);

      expect([stdout.split("\n").length, stderr]).toEqual([2, "No user was found.\n"]);
      expect([json.stdout, json.stderr]).toEqual(["[]\n", ""]);
    });

    test("key list shows whose key it is and what it may do, but no secret, page by page", async () => {
      const { email } = await newTenant(server);
      const made = JSON.parse(await run("key", "create", "--email", email, "--name", "Site", "--scopes", "links.read"));

      const rows = (await run("key", "list", "--email", email)).trimEnd().split("\n");

      expect(rows).toHaveLength(3);
      expect(rows[2]).toMatch(
        new RegExp(
          `^${made.id} +${made.apiKey.slice(0, 8)}… +Site +${email} +all +links\\.read +- +- +\\d{4}-\\d{2}-\\d{2}$`,
        ),
      );
      const [first] = await keysOf({ email, limit: 1 });
      expect(await keysOf({ email, after: first?.id })).toMatchObject([{ id: made.id }]);
    });

    test("user disable ends keys at once; user enable lets the user sign in, but revives no key", async () => {
      const { email, apiKey } = await newTenant(server);
      const status = async () => (await server.call("GET", "/workspaces", { key: apiKey })).status;
      expect(await status()).toBe(200);

      expect(JSON.parse(await run("user", "disable", email))).toMatchObject({
        email,
        withoutOwner: [{ name: "Other" }],
      });
      expect(await status()).toBe(401);
      expect(run("key", "create", "--email", email)).rejects.toThrow("has disabled this account");

      await run("user", "enable", email);
      expect(await status()).toBe(401);
      expect(run("user", "enable", email)).rejects.toThrow("is not disabled");
    });

    test("user delete refuses the only owner, names the way out, and neither leaves a file nor logs an export", async () => {
      const { email, userId, workspaceId } = await newTenant(server);
      const file = join(server.data, "refused.json");

      await expect(run("user", "delete", email, "--export", file)).rejects.toThrow(
        `is the only owner of workspace ${workspaceId} (Other). Transfer each first, for example with waypost workspace transfer ${workspaceId} --to new-owner@example.com`,
      );
      expect(existsSync(file)).toBe(false);
      // The log arrives in order: the next operation's line follows all lines of the refused one.
      await run("user", "disable", email);
      const isAbout = (text: string) => text.includes(userId);
      const about = await eventually(
        async () => server.output().split("\n").slice(0, -1).filter(isAbout),
        ({ length }) => length > 0,
      );
      expect(about.map((text): unknown => JSON.parse(text))).toMatchObject([{ operation: "user disable" }]);
    });

    test("user delete writes the user's data into a private file before it erases the user", async () => {
      const { email, workspaceId } = await newTenant(server);
      const heir = await newMember(server, workspaceId, "member");
      const file = join(server.data, `${workspaceId}.json`);
      await run("workspace", "transfer", String(workspaceId), "--to", heir.email);

      await run("user", "delete", email, "--export", file);

      expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
        profile: { email },
        workspaces: [{ id: workspaceId, role: "member" }],
        sessions: [],
        oneTimeCodes: { isOn: false, since: null, recoveryCodesLeft: 0 },
        passkeys: [],
        apiKeys: [{ name: "First key" }],
      });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(await list("user", "list", "--search", email)).toEqual([]);
      expect(run("user", "delete", heir.email, "--export", file)).rejects.toThrow("Nothing was deleted.");
    });

    test("user email, sessions and administrator change an account", async () => {
      const { email, userId } = await newTenant(server);

      await run("user", "email", email, `new-${email}`);
      await run("user", "administrator", `new-${email}`, "--on");

      expect(await list("user", "list", "--search", email)).toMatchObject([
        { id: userId, email: `new-${email}`, isAdministrator: true, emailVerified: true },
      ]);
      expect(await list("user", "sessions", userId)).toEqual([]);
      expect(JSON.parse(await run("user", "sessions", userId, "--end-all"))).toEqual({ id: userId, ended: 0 });
      expect(run("user", "sessions", userId, "--end", "session_none")).rejects.toThrow("No session was found");
      expect(run("user", "administrator", userId)).rejects.toThrow("either --on or --off");
    });

    test("workspace limits shows and changes limits, and user remove-codes needs codes", async () => {
      const { email, workspaceId } = await newTenant(server);
      const limits = async (...options: string[]) =>
        JSON.parse(await run("workspace", "limits", String(workspaceId), ...options));

      expect((await limits()).own).toEqual({});
      expect((await limits("--links", "5", "--api-keys", "unlimited", "--retention-days", "90")).own).toEqual({
        links: 5,
        apiKeys: "unlimited",
        clickRetentionDays: 90,
      });
      expect((await limits("--links", "default")).own).toEqual({ apiKeys: "unlimited", clickRetentionDays: 90 });
      expect(limits("--links", "none")).rejects.toThrow("from 1 to 1000000000, unlimited, or default.");
      expect(limits("--retention-days", "3651")).rejects.toThrow("from 1 to 3650, unlimited, or default.");
      expect(run("user", "remove-codes", email)).rejects.toThrow(`${email} has neither one-time codes nor passkeys.`);
    });

    test("workspace delete requires the name, and workspace list and domain list show what exists", async () => {
      const { workspaceId } = await newTenant(server);
      const id = String(workspaceId);
      const ids = async () => (await list("workspace", "list")).map((row) => row.id);
      expect(await ids()).toContain(workspaceId);
      expect(await list("domain", "list")).toMatchObject([{ slug: "localhost", isInstance: true }]);

      expect(run("workspace", "delete", id, "--confirm", "Wrong")).rejects.toThrow("exactly as written");
      await run("workspace", "delete", id, "--confirm", "Other");

      expect(await ids()).not.toContain(workspaceId);
    });

    test("without a running server, the commands work on the database", async () => {
      const { email } = await newTenant(server);
      await server.end("SIGTERM");

      await run("user", "disable", email);

      expect(await list("user", "list", "--search", email)).toMatchObject([{ state: "disabled" }]);
      expect((await run("workspace", "list")).split("\n")[0]).toMatch(/^ID +NAME +OWNERS/);
    });
  });
}
