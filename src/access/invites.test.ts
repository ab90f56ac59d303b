import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { problemOf } from "../../tests/support/problem-of.ts";
import { type AccessWorld, openAccessWorld } from "../../tests/support/workspaces.ts";
import { networkOf } from "../base/network.ts";
import { dayMs } from "../base/time.ts";
import { openAttempts } from "./attempts.ts";
import {
  acceptInvite,
  createInvite,
  findOpenInvite,
  forgetExpiredInvites,
  inviteAttemptsMax,
  inviteLifeMaxMs,
  inviteLifeMs,
  invitesMax,
  listInvites,
  mailedInvitesPerDayMax,
  revokeInvite,
} from "./invites.ts";
import { type JoinForm, joinByInvite } from "./join-by-invite.ts";
import { listMembers } from "./members.ts";
import { accountWaitingMax, hashingMax, passwordHashOf } from "./password-hash.ts";
import { setPassword } from "./users.ts";

const openInvite = { email: null, role: "member", expiresAt: null } as const;
const newEmail = () => `${crypto.randomUUID()}@example.com`;
const password = "correct horse battery";
const joinFrom = (world: AccessWorld, token: string, joining: Omit<JoinForm, "address">) =>
  joinByInvite({ ...world, attempts: openAttempts(world.now) }, token, { ...joining, address: "192.0.2.1" });

describe.each([...engines])("invites on %s", (engine) => {
  let world: AccessWorld;

  beforeAll(async () => {
    world = await openAccessWorld(engine);
  });

  afterAll(() => world.close());

  test("are open for a week by default, listed without their token, and recorded", async () => {
    const owner = await world.newOwner();

    const { invite, token } = await createInvite(world, owner, { ...openInvite, email: " Ada@Example.com" });

    const email = "ada@example.com";
    const expiresAt = world.now() + inviteLifeMs;
    expect(invite).toMatchObject({ email, role: "member", userId: owner.userId, expiresAt });
    expect(await listInvites(world, owner)).toEqual([invite]);
    expect(JSON.stringify(await world.db.selectFrom("invites").selectAll().execute())).not.toContain(token);
    expect(await world.eventsOf(owner.workspaceId)).toEqual([
      { type: "invite.created", objectId: invite.id, userId: owner.userId, data: { email, role: "member", expiresAt } },
    ]);
  });

  test("make anyone with the link a member with the invite's role, once", async () => {
    const owner = await world.newOwner();
    const { token } = await createInvite(world, owner, { ...openInvite, role: "viewer" });
    const [userId, late] = [await world.newUser(), await world.newUser()];

    const workspace = await acceptInvite(world, { userId }, token);

    expect(workspace).toMatchObject({ id: owner.workspaceId, name: "Acme", role: "viewer" });
    expect(await refusal(acceptInvite(world, { userId: late }, token))).toBe("not_found");
    expect(await listInvites(world, owner)).toEqual([]);
    expect((await world.eventsOf(owner.workspaceId)).slice(1)).toEqual([
      { type: "member.added", objectId: userId, userId: owner.userId, data: { role: "viewer" } },
    ]);
  });

  test("are used once even by simultaneous calls", async () => {
    const owner = await world.newOwner();
    const { token } = await createInvite(world, owner, openInvite);
    const users = await Promise.all([1, 2, 3, 4, 5].map(() => world.newUser()));

    const outcomes = await Promise.all(users.map((userId) => refusal(acceptInvite(world, { userId }, token))));

    expect(outcomes.sort()).toEqual(["none", ...Array(4).fill("not_found")]);
    expect((await listMembers(world, owner)).length).toBe(2);
  });

  test("are mailed to a bounded number of addresses a day, revoked ones included; links alone are not bounded", async () => {
    const owner = await world.newOwner();
    const other = await world.newOwner();
    const invite = async (email: string | null, actor = owner) => {
      const made = createInvite(world, actor, { ...openInvite, email });
      const problem = await problemOf(made);
      if (problem === undefined) await revokeInvite(world, actor, (await made).invite.id);
      return problem;
    };
    for (let mail = 0; mail < mailedInvitesPerDayMax; mail++) await invite(`a${mail}@example.com`);

    const refused = await invite("late@example.com");

    expect(refused).toMatchObject({ code: "rate_limit_exceeded", message: expect.stringContaining("tomorrow") });
    expect([await invite(null), await invite("late@example.com", other)]).toEqual([undefined, undefined]);
    world.advance(dayMs);
    expect(await invite("late@example.com")).toBeUndefined();
  });

  test("admit no user when expired, revoked or unknown", async () => {
    const owner = await world.newOwner();
    const userId = await world.newUser();
    const expired = await createInvite(world, owner, { ...openInvite, expiresAt: world.now() + 1 });
    const revoked = await createInvite(world, owner, openInvite);
    world.advance(1);
    await revokeInvite(world, owner, revoked.invite.id);

    for (const token of [expired.token, revoked.token, "x"]) {
      expect(await refusal(acceptInvite(world, { userId }, token))).toBe("not_found");
      expect(await findOpenInvite(world, token)).toBeUndefined();
    }
    expect(await listInvites(world, owner)).toEqual([]);
    expect(await refusal(revokeInvite(world, owner, revoked.invite.id))).toBe("not_found");
    expect((await world.eventsOf(owner.workspaceId)).map(({ type }) => type)).toEqual([
      "invite.created",
      "invite.created",
      "invite.revoked",
    ]);
  });

  test("that have expired are deleted, and open ones stay", async () => {
    const owner = await world.newOwner();
    const { invite } = await createInvite(world, owner, { ...openInvite, expiresAt: world.now() + 2 * dayMs });
    await createInvite(world, owner, { ...openInvite, expiresAt: world.now() + dayMs });
    world.advance(dayMs);

    await forgetExpiredInvites(world);

    const ids = world.db.selectFrom("invites").select("id").where("workspaceId", "=", owner.workspaceId);
    expect(await ids.execute()).toEqual([{ id: invite.id }]);
  });

  test("are created and revoked only by owners, in their own workspace", async () => {
    const owner = await world.newOwner();
    const stranger = await world.newOwner();
    const { invite } = await createInvite(world, owner, openInvite);
    for (const role of ["member", "viewer"] as const) {
      const actor = await world.newColleague(owner, role);
      expect(await refusal(createInvite(world, actor, openInvite))).toBe("forbidden");
      expect(await refusal(revokeInvite(world, actor, invite.id))).toBe("forbidden");
    }

    expect(await refusal(revokeInvite(world, stranger, invite.id))).toBe("not_found");
    expect(await listInvites(world, stranger)).toEqual([]);
    expect(await listInvites(world, owner)).toEqual([invite]);
  });

  test("with an invalid address or expiry are refused", async () => {
    const owner = await world.newOwner();
    const bad = [
      { email: "nobody" },
      { expiresAt: world.now() },
      { expiresAt: 1 },
      { expiresAt: world.now() + inviteLifeMaxMs + 1 },
    ];
    for (const field of bad) {
      const problem = await problemOf(createInvite(world, owner, { ...openInvite, ...field }));
      expect(problem).toMatchObject({ code: "unprocessable_entity" });
      expect(problem?.message).toStartWith(Object.keys(field)[0] ?? "?");
    }
  });

  test("are refused for an address that is invited or a member already, and beyond the bound", async () => {
    const owner = await world.newOwner();
    const email = newEmail();
    const userId = await world.newUser(email);
    const { token } = await createInvite(world, owner, { ...openInvite, email });
    expect(await refusal(createInvite(world, owner, { ...openInvite, email }))).toBe("conflict");
    await acceptInvite(world, { userId }, token);
    expect(await refusal(createInvite(world, owner, { ...openInvite, email }))).toBe("conflict");

    for (let made = 0; made < invitesMax; made++) await createInvite(world, owner, openInvite);
    expect(await refusal(createInvite(world, owner, openInvite))).toBe("conflict");
  });

  test("that name an address admit only its user, and stay open for that user", async () => {
    const owner = await world.newOwner();
    const email = newEmail();
    const [userId, other, nobody] = [
      await world.newUser(email),
      await world.newUser(newEmail()),
      await world.newUser(),
    ];
    const { token } = await createInvite(world, owner, { ...openInvite, email });

    expect(await refusal(acceptInvite(world, { userId: other }, token))).toBe("forbidden");
    expect(await refusal(acceptInvite(world, { userId: nobody }, token))).toBe("forbidden");
    expect(await refusal(acceptInvite(world, { userId }, token))).toBe("none");
  });

  test("stay open when a member accepts them", async () => {
    const owner = await world.newOwner();
    const { token } = await createInvite(world, owner, openInvite);

    expect(await refusal(acceptInvite(world, owner, token))).toBe("conflict");
    expect(await findOpenInvite(world, token)).toMatchObject({ workspace: "Acme", email: null });
  });

  test("create a new user from a name, an e-mail address and a password", async () => {
    const owner = await world.newOwner();
    const { token } = await createInvite(world, owner, openInvite);
    const email = newEmail();

    await joinFrom(world, token, { name: " Grace ", email: email.toUpperCase(), password });

    expect((await listMembers(world, owner))[1]).toMatchObject({ name: "Grace", email, role: "member" });
    expect(await refusal(joinFrom(world, token, { name: "Late", email: newEmail(), password }))).toBe("not_found");
  });

  test("that name an address create no user with another one", async () => {
    const owner = await world.newOwner();
    const email = newEmail();
    const { mailedToken } = await createInvite(world, owner, { ...openInvite, email });

    await joinFrom(world, mailedToken, { name: "Grace", email: "other@example.com", password });

    expect((await listMembers(world, owner))[1]).toMatchObject({ email });
  });

  test("refuse a person with a bad name, e-mail or password, and stay open", async () => {
    const owner = await world.newOwner();
    const { token } = await createInvite(world, owner, openInvite);
    const good = { name: "Grace", email: newEmail(), password };

    for (const bad of [{ name: " " }, { name: "x".repeat(191) }, { email: "nobody" }, { password: "short" }]) {
      const problem = await problemOf(joinFrom(world, token, { ...good, ...bad }));
      expect(problem?.code).toBe("unprocessable_entity");
      expect(problem?.message).toStartWith(Object.keys(bad)[0] ?? "?");
    }
    expect(await refusal(joinFrom(world, token, good))).toBe("none");
  });

  test("admit an existing user by password, with a bounded number of attempts", async () => {
    const owner = await world.newOwner();
    const email = newEmail();
    await world.newUser(email);
    const { token } = await createInvite(world, owner, openInvite);
    const join = async (tried: string) => await refusal(joinFrom(world, token, { name: "", email, password: tried }));
    expect(await join(password)).toBe("unprocessable_entity");
    await setPassword(world, email, password);

    for (let tried = 2; tried < inviteAttemptsMax; tried++)
      expect(await join("a wrong one")).toBe("unprocessable_entity");
    expect(await join(password)).toBe("none");

    const again = await createInvite(world, await world.newOwner(), openInvite);
    await world.db
      .updateTable("invites")
      .set({ attempts: inviteAttemptsMax })
      .where("id", "=", again.invite.id)
      .execute();
    expect(await refusal(joinFrom(world, again.token, { name: "", email, password }))).toBe("not_found");
  });

  test("admit a bounded number of new users per IP address, whatever e-mail addresses it uses", async () => {
    const attempts = openAttempts(world.now);
    const join = async (address: string) => {
      const { token } = await createInvite(world, await world.newOwner(), openInvite);
      const joining = { name: "Ada", email: newEmail(), password, address };
      return await refusal(joinByInvite({ ...world, attempts }, token, joining));
    };

    expect(await join("2001:db8::1")).toBe("none");
    for (let tried = 1; tried < 20; tried++) attempts.join.take({ address: "2001:db8::2", account: newEmail() });

    expect(await join("2001:db8::3")).toBe("rate_limit_exceeded");
    expect(await join("2001:db8:0:1::1")).toBe("none");
  });

  test("cost a new user no attempt while the server is too busy to hash the password", async () => {
    const address = "192.0.2.1";
    const { token } = await createInvite(world, await world.newOwner(), openInvite);
    const attempts = openAttempts(world.now);
    const joining = { name: "Ada", email: newEmail(), password, address };
    const join = async () => await refusal(joinByInvite({ ...world, attempts }, token, joining));
    // Cheap hashes could end before the last attempt, so each waits for it.
    const { hash } = Bun.password;
    const tried = Promise.withResolvers<void>();
    Bun.password.hash = async (...input) => {
      await tried.promise;
      return await hash(...input);
    };
    const hashes = Array.from({ length: hashingMax + accountWaitingMax }, () =>
      passwordHashOf(password, { account: networkOf(address) }),
    );

    const busy: string[] = [];
    try {
      for (let attempt = 0; attempt < 25; attempt++) busy.push(await join());
    } finally {
      Bun.password.hash = hash;
      tried.resolve();
      await Promise.all(hashes);
    }

    expect(busy).toEqual(busy.map(() => "unavailable"));
    expect(await join()).toBe("none");
  });

  test("cost an attempt for a password that is too short, since the answer tells that the address is unused", async () => {
    const { token } = await createInvite(world, await world.newOwner(), openInvite);
    const deps = { ...world, attempts: openAttempts(world.now) };
    const join = async (joining: Pick<JoinForm, "email" | "password">) =>
      await refusal(joinByInvite(deps, token, { ...joining, name: "Ada", address: "192.0.2.1" }));

    for (let tried = 0; tried < 20; tried++) {
      expect(await join({ email: newEmail(), password: "short" })).toBe("unprocessable_entity");
    }

    expect(await join({ email: newEmail(), password })).toBe("rate_limit_exceeded");
  });

  test("give one network no more slots in the queue for hashes than signing in does", async () => {
    const joins = hashingMax + 3 * accountWaitingMax;
    const joinAtOnce = async (addressOf: (index: number) => string, onRefusal: () => void = () => {}) => {
      const owners = await Promise.all(Array.from({ length: joins }, () => world.newOwner()));
      const invites = await Promise.all(owners.map((owner) => createInvite(world, owner, openInvite)));
      const joining = { name: "Ada", password };
      return await Promise.all(
        invites.map(async ({ token }, index) => {
          const deps = { ...world, attempts: openAttempts(world.now) };
          const join = joinByInvite(deps, token, { ...joining, email: newEmail(), address: addressOf(index) });
          const answer = await refusal(join);
          if (answer !== "none") onRefusal();
          return answer;
        }),
      );
    };

    // Cheap hashes could end before the queue is full, so each waits until a join has been refused.
    const { hash } = Bun.password;
    const refused = Promise.withResolvers<void>();
    Bun.password.hash = async (...input) => {
      await refused.promise;
      return await hash(...input);
    };
    const ofOneNetwork = await joinAtOnce(() => "192.0.2.1", refused.resolve).finally(() => {
      Bun.password.hash = hash;
    });
    expect(ofOneNetwork).toContain("unavailable");
    expect(new Set(await joinAtOnce((index) => `192.0.2.${index + 2}`))).toEqual(new Set(["none"]));
  });

  test("allow no more guesses at a password than signing in does", async () => {
    const email = newEmail();
    await world.newUser(email);
    await setPassword(world, email, password);
    const deps = { ...world, attempts: openAttempts(world.now) };
    const answers = [];
    for (let invite = 0; invite < 3; invite++) {
      const { token } = await createInvite(world, await world.newOwner(), openInvite);
      for (let tried = 0; tried < inviteAttemptsMax - 1; tried++) {
        const joining = { name: "", email, password: "a wrong one", address: `198.51.100.${invite}` };
        answers.push(await refusal(joinByInvite(deps, token, joining)));
      }
    }

    expect(answers.indexOf("rate_limit_exceeded")).toBe(10);
    expect(new Set(answers.slice(10))).toEqual(new Set(["rate_limit_exceeded"]));
  });
});
