/** One-time codes, recovery codes, and workspaces that require a second factor. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { newPerson, openDashboard, ownerPassword, ownerSignIn } from "./support/dashboard.ts";
import { codeOf } from "./support/one-time-codes.ts";
import { refusalOf } from "./support/requests.ts";
import type { TestService } from "./support/server.ts";
import { withDatabase } from "./support/server-database.ts";
import { startService } from "./support/service.ts";

let server: TestService;
beforeAll(async () => {
  server = await startService(ownerPassword);
});
afterAll(() => server.remove());

const Begun = z.strictObject({ secret: z.string(), uri: z.string(), qrCode: z.string() });
const Codes = z.strictObject({ recoveryCodes: z.array(z.string()) });
type Person = Awaited<ReturnType<typeof newPerson>>;

const ask = (token: string, path: string, body?: unknown) => server.call("POST", `/user/${path}`, { key: token, body });

/** Turns codes on with the present code, so that tests sign in with the next one. */
async function turnOn({ dashboard, password }: Person) {
  const token = await dashboard.token();
  const begun = Begun.parse((await ask(token, "one-time-codes", { currentPassword: password })).body);
  const confirmed = await ask(token, "one-time-codes/confirm", { code: codeOf(begun.secret) });
  return { token, ...begun, ...Codes.parse(confirmed.body) };
}

const signIn = (person: { email: string; password: string }, code?: string) =>
  openDashboard(server).send("POST", "/session", { ...person, ...(code === undefined ? {} : { code }) });
const credentials = ({ email, password }: Person) => ({ email, password });

describe("one-time codes", () => {
  test("are asked for at sign-in once a code was confirmed", async () => {
    const person = await newPerson(server);
    const token = await person.dashboard.token();
    const { uri, secret, qrCode } = Begun.parse(
      (await ask(token, "one-time-codes", { currentPassword: person.password })).body,
    );
    const before = await signIn(credentials(person));

    const confirmed = await ask(token, "one-time-codes/confirm", { code: codeOf(secret) });
    const without = await signIn(credentials(person));
    const withCode = await signIn(credentials(person), codeOf(secret, 1));

    expect(uri).toContain(`secret=${secret}`);
    expect(qrCode).toStartWith("data:image/svg+xml;base64,");
    expect(before.status).toBe(200);
    expect(Codes.parse(confirmed.body).recoveryCodes).toHaveLength(10);
    expect([without.status, without.body, without.headers.has("set-cookie")]).toEqual([202, { needs: "code" }, false]);
    expect(withCode.status).toBe(200);
  });

  test("work once each, also when sent at the same time", async () => {
    const person = await newPerson(server);
    const { secret } = await turnOn(person);
    const code = codeOf(secret, 1);

    const answers = await Promise.all([1, 2, 3].map(() => signIn(credentials(person), code)));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect(refusalOf(await signIn(credentials(person), code))).toBe("401 unauthorized");
  });

  test("do not replace the password", async () => {
    const person = await newPerson(server);
    const { secret } = await turnOn(person);

    const answer = await signIn({ ...credentials(person), password: "not this one" }, codeOf(secret, 1));

    expect(refusalOf(answer)).toBe("401 unauthorized");
  });

  test("are limited to ten wrong ones an hour, after which the right one waits, too", async () => {
    const person = await newPerson(server);
    const { secret } = await turnOn(person);

    const refusals = new Set<string>();
    for (let attempt = 0; attempt < 10; attempt++) {
      refusals.add(refusalOf(await signIn(credentials(person), "abc")));
    }

    expect([...refusals]).toEqual(["401 unauthorized"]);
    expect(refusalOf(await signIn(credentials(person), codeOf(secret, 1)))).toBe("429 rate_limit_exceeded");
  });

  test("end the sessions that began without a code", async () => {
    const person = await newPerson(server);
    const other = openDashboard(server);
    await other.signIn(credentials(person));
    const otherToken = await other.token();

    const { token } = await turnOn(person);

    expect(refusalOf(await server.call("GET", "/user", { key: otherToken }))).toBe("401 unauthorized");
    expect((await server.call("GET", "/user", { key: token })).status).toBe(200);
  });

  test("are begun and turned off with the password only", async () => {
    const person = await newPerson(server);
    const unset = await ask(await person.dashboard.token(), "one-time-codes", {});
    const { token } = await turnOn(person);

    const wrong = await ask(token, "one-time-codes/turn-off", { currentPassword: "not this one" });
    const off = await ask(token, "one-time-codes/turn-off", { currentPassword: person.password });

    expect([refusalOf(unset), refusalOf(wrong)]).toEqual(["422 unprocessable_entity", "422 unprocessable_entity"]);
    expect(off.body).toEqual({ isOn: false, since: null, recoveryCodesLeft: 0 });
    expect((await signIn(credentials(person))).status).toBe(200);
  });

  test("protect the address and the account from a session that began before them with the password alone", async () => {
    const person = await newPerson(server);
    const { token } = await turnOn(person);
    const { id } = z.looseObject({ id: z.string() }).parse((await server.call("GET", "/user", { key: token })).body);
    await setSecondFactor(id, 0);
    const currentPassword = person.password;

    const email = await server.call("PATCH", "/user", {
      key: token,
      body: { email: "b@example.com", currentPassword },
    });
    const deletion = await ask(token, "deletion", { confirm: person.email, currentPassword });

    expect([refusalOf(email), refusalOf(deletion)]).toEqual(["403 forbidden", "403 forbidden"]);
    await setSecondFactor(id, 1);
    expect((await ask(token, "deletion", { confirm: person.email, currentPassword })).status).toBe(200);
  });

  test("are not bypassed by joining with an invite, which then signs nobody in", async () => {
    const person = await newPerson(server);
    await turnOn(person);
    const invite = await inviteLink();
    const page = openDashboard(server);

    const joined = await page.visit(invite, { name: "Ann", email: person.email, password: person.password });

    expect([joined.status, joined.headers.get("location"), page.cookie()]).toEqual([303, "/app/sign-in", ""]);
  });

  test("leave no secret and no recovery code on the disk", async () => {
    const person = await newPerson(server);
    const { secret, recoveryCodes } = await turnOn(person);
    const files = [...new Bun.Glob("waypost.sqlite*").scanSync(server.data)];

    const contents = await Promise.all(files.map((file) => Bun.file(`${server.data}/${file}`).text()));

    expect(files).not.toEqual([]);
    for (const text of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll("-", ""))]) {
      expect(contents.some((content) => content.includes(text))).toBe(false);
    }
  });
});

/** Sets whether the user's sessions have a second factor. */
async function setSecondFactor(userId: string, hasSecondFactor: 0 | 1): Promise<void> {
  await withDatabase(server, ({ db }) =>
    db.updateTable("sessions").set({ hasSecondFactor }).where("userId", "=", userId).execute(),
  );
}

/** The path below /app of an open invite to a new workspace. */
async function inviteLink(): Promise<string> {
  const made = await server.call("POST", "/workspaces", { body: { name: "Other" } });
  const { id } = z.object({ id: z.int() }).parse(made.body);
  const invited = await server.call("POST", `/workspaces/${id}/invites`, { body: { role: "member" } });
  const { url } = z.object({ url: z.string() }).parse(invited.body);
  return new URL(url).pathname.replace(/^\/app/, "");
}

describe("recovery codes", () => {
  test("replace a code once each, in any spelling", async () => {
    const person = await newPerson(server);
    const { recoveryCodes, token } = await turnOn(person);
    const [first = "", second = ""] = recoveryCodes;

    const used = await signIn(credentials(person), first.replaceAll("-", " ").toUpperCase());
    const again = await signIn(credentials(person), first);
    const other = await signIn(credentials(person), second);
    const state = await server.call("GET", "/user/one-time-codes", { key: token });

    expect([used.status, refusalOf(again), other.status]).toEqual([200, "401 unauthorized", 200]);
    expect(state.body).toMatchObject({ isOn: true, recoveryCodesLeft: 8 });
  });

  test("end when they are replaced", async () => {
    const person = await newPerson(server);
    const { recoveryCodes, token } = await turnOn(person);

    const replaced = Codes.parse((await ask(token, "recovery-codes", { currentPassword: person.password })).body);

    expect(refusalOf(await signIn(credentials(person), recoveryCodes[0]))).toBe("401 unauthorized");
    expect((await signIn(credentials(person), replaced.recoveryCodes[0])).status).toBe(200);
  });
});

describe("a workspace that requires a second factor", () => {
  test("refuses sessions without one and keys of users without one, but not the person's own account", async () => {
    const own = await startService(ownerPassword);
    try {
      const dashboard = openDashboard(own);
      await dashboard.signIn(ownerSignIn);
      const key = await dashboard.token();
      const require = (options: object) =>
        own.call("PATCH", "/workspaces/1", { body: { requiresSecondFactor: true }, ...options });
      const post = (path: string, body: unknown) => own.call("POST", `/user/${path}`, { key, body });
      const codesOn = async () => {
        const begun = Begun.parse((await post("one-time-codes", { currentPassword: ownerSignIn.password })).body);
        await post("one-time-codes/confirm", { code: codeOf(begun.secret) });
      };

      expect(refusalOf(await require({ key }))).toBe("409 conflict");
      expect(refusalOf(await require({}))).toBe("409 conflict");
      await codesOn();
      expect((await require({})).body).toMatchObject({ requiresSecondFactor: true });
      expect([(await own.call("GET", "/links", { key })).status, (await own.call("GET", "/links")).status]).toEqual([
        200, 200,
      ]);

      await post("one-time-codes/turn-off", { currentPassword: ownerSignIn.password });
      const byKey = await own.call("GET", "/links");
      expect(refusalOf(await own.call("GET", "/links", { key }))).toBe("403 forbidden");
      expect([refusalOf(byKey), refusalOf(await own.call("DELETE", "/links/link_none"))]).toEqual([
        "403 forbidden",
        "403 forbidden",
      ]);
      expect(JSON.stringify(byKey.body)).toContain("the owner of this API key has none");
      expect((await own.call("GET", "/user/one-time-codes", { key })).status).toBe(200);

      // A password alone must not lead to a key that acts in this workspace.
      const elsewhere = await own.call("POST", "/workspaces", { key, body: { name: "Elsewhere" } });
      const workspaceId = z.object({ id: z.int() }).parse(elsewhere.body).id;
      const forAll = { name: "For all", allWorkspaces: true };
      const newKey = await own.call("POST", `/api-keys?workspaceId=${workspaceId}`, { key, body: forAll });
      expect(refusalOf(newKey)).toBe("403 forbidden");
      await codesOn();
      const ended = await own.call("PATCH", "/workspaces/1", { body: { requiresSecondFactor: false } });
      expect(refusalOf(ended)).toBe("403 forbidden");
      expect((await own.call("GET", "/links")).status).toBe(200);
    } finally {
      await own.remove();
    }
  });

  test("is set by owners only", async () => {
    const { dashboard } = await newPerson(server, "member");

    const answer = await server.call("PATCH", "/workspaces/1", {
      key: await dashboard.token(),
      body: { requiresSecondFactor: true },
    });

    expect(refusalOf(answer)).toBe("403 forbidden");
  });
});
