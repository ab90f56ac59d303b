import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { type AccessWorld, openAccessWorld } from "../../tests/support/workspaces.ts";
import { transact } from "../database/transact.ts";
import type { Actor } from "./actor.ts";
import { authenticate, createApiKey, listApiKeys, revokeApiKey } from "./api-keys.ts";
import { openAttempts } from "./attempts.ts";
import { acceptInvite, createInvite, findOpenInvite, listInvites } from "./invites.ts";
import { joinByInvite } from "./join-by-invite.ts";
import { changeRole, listMembers } from "./members.ts";
import { getOneTimeCodes } from "./one-time-codes.ts";
import { listPasskeys } from "./passkeys.ts";
import { hasMembershipsToReview, listMemberships, reviewMemberships } from "./review-memberships.ts";
import { findSession, openSession } from "./sessions.ts";
import { findByPassword } from "./sign-in.ts";
import { findUser, insertSignInLink, useSignInLink } from "./users.ts";
import { verifyEmail } from "./verify-email.ts";
import { createWorkspace } from "./workspaces.ts";

const attackerPassword = "chosen by an attacker";
const personPassword = "chosen by the real person";
const newEmail = () => `${crypto.randomUUID()}@example.com`;
const openInvite = { email: null, role: "member", expiresAt: null } as const;
const newKey = { name: "Key", scopes: null, expiresAt: null, allWorkspaces: true } as const;

describe.each([...engines])("an e-mail address on %s", (engine) => {
  let world: AccessWorld;

  beforeAll(async () => {
    world = await openAccessWorld(engine);
  });
  afterAll(() => world.close());

  const join = (token: string, email: string, password: string) =>
    joinByInvite({ ...world, attempts: openAttempts(world.now) }, token, {
      ...{ name: "Ada", email, password },
      address: "192.0.2.1",
    });
  const signIn = (email: string, password: string) =>
    refusal(
      findByPassword(
        { db: world.db, limits: openAttempts(world.now).signIn },
        { address: "192.0.2.1", signal: new AbortController().signal },
        { email, password },
      ),
    );

  /** An attacker's workspace, in which an account with another person's address has a key, a session and an invite. */
  async function hijacked() {
    const email = newEmail();
    const attacker = await world.newOwner();
    const { token } = await createInvite(world, attacker, { ...openInvite, role: "owner" });
    const userId = await join(token, email, attackerPassword);
    const actor: Actor = { ...attacker, userId, role: "owner" };
    const { key } = await createApiKey(world, actor, newKey);
    const session = await openSession(world, { userId, userAgent: "", language: "en", method: "password" });
    const back = await createInvite(world, actor, openInvite);
    return { email, userId, attacker, key, session, back };
  }

  test("typed into an open invite is unverified; the account signs in and accepts open invites", async () => {
    const { email, userId } = await hijacked();
    const { token } = await createInvite(world, await world.newOwner(), openInvite);

    expect((await findUser(world, userId))?.verifiedAt).toBeNull();
    expect(await signIn(email, attackerPassword)).toBe("none");
    expect(await refusal(acceptInvite(world, { userId }, token))).toBe("none");
  });

  test("that is unverified is admitted by no invite that names it, except by the mailed link", async () => {
    const { email, userId } = await hijacked();
    const owner = await world.newOwner();
    const { token, mailedToken } = await createInvite(world, owner, { ...openInvite, email });

    for (const link of [token, mailedToken]) {
      expect(await refusal(acceptInvite(world, { userId }, link))).toBe("forbidden");
    }
    expect(await refusal(join(token, email, attackerPassword))).toBe("forbidden");
    expect(await findOpenInvite(world, token)).toMatchObject({ email, provenEmail: null });
    expect(await findOpenInvite(world, mailedToken)).toMatchObject({ email, provenEmail: email });
    expect(await join(mailedToken, email, personPassword)).toBe(userId);
    expect(await listMembers(world, owner)).toContainEqual(expect.objectContaining({ userId, email, role: "member" }));
  });

  test("that is verified for the first time ends earlier keys, sessions, invites and the password", async () => {
    const { email, attacker, key, session, back, userId } = await hijacked();
    const { mailedToken } = await createInvite(world, await world.newOwner(), { ...openInvite, email });

    await join(mailedToken, email, personPassword);

    expect((await findUser(world, userId))?.verifiedAt).toBe(world.now());
    expect(await authenticate(world, key, undefined)).toBeUndefined();
    expect(await findSession(world, session)).toBeUndefined();
    expect(await findOpenInvite(world, back.token)).toBeUndefined();
    expect([await signIn(email, attackerPassword), await signIn(email, personPassword)]).toEqual([
      "unauthorized",
      "none",
    ]);
    expect((await world.eventsOf(attacker.workspaceId)).slice(-2).map(({ type }) => type)).toEqual([
      "apiKey.revoked",
      "invite.revoked",
    ]);
  });

  test("that is verified for the first time gives no key or invite to calls that were admitted before", async () => {
    const { email, userId, attacker, key, session } = await hijacked();
    const byKey = await authenticate(world, key, undefined);
    if (byKey === undefined) throw new Error("The key opens nothing.");
    const sessionId = (await findSession(world, session))?.id ?? "";
    const bySession: Actor = { ...attacker, userId, sessionId };

    await transact(world.db, (tx) => verifyEmail(tx, { userId, email, passwordHash: null }, world.now()));

    for (const actor of [byKey, bySession]) {
      expect(await refusal(createApiKey(world, actor, newKey))).toBe("unauthorized");
      expect(await refusal(createInvite(world, actor, openInvite))).toBe("unauthorized");
    }
  });

  test("that is verified for the first time ends one-time codes and passkeys of another person", async () => {
    const { email, userId } = await hijacked();
    await world.db
      .insertInto("oneTimeCodes")
      .values({ userId, sealedSecret: "", lastStep: 0, confirmedAt: 1 })
      .execute();
    await world.db.insertInto("recoveryCodes").values({ userId, hash: "" }).execute();
    const passkey = { host: "localhost", credentialId: crypto.randomUUID(), publicKey: "", counter: 0, createdAt: 1 };
    await world.db
      .insertInto("passkeys")
      .values({ id: crypto.randomUUID(), userId, name: "Phone", ...passkey })
      .execute();
    const { mailedToken } = await createInvite(world, await world.newOwner(), { ...openInvite, email });

    await join(mailedToken, email, personPassword);

    expect(await getOneTimeCodes(world, userId)).toEqual({ since: null, recoveryCodesLeft: 0 });
    expect(await listPasskeys(world, userId)).toEqual([]);
    expect(await refusal(openSession(world, { userId, userAgent: "", language: "en", method: "password" }))).toBe(
      "none",
    );
  });

  test("is verified by a mailed link for a new password, once: a later one ends no keys", async () => {
    const { email, userId, key } = await hijacked();
    const linkFor = (to: string | null) =>
      transact(world.db, (tx) => insertSignInLink(tx, userId, world.now(), { email: to }));
    const form = { name: "", email: "", password: personPassword };

    await useSignInLink(world, await linkFor("an earlier address"), form);
    expect((await findUser(world, userId))?.verifiedAt).toBeNull();
    await useSignInLink(world, await linkFor(email), form);
    expect((await findUser(world, userId))?.verifiedAt).toBe(world.now());
    expect(await authenticate(world, key, undefined)).toBeUndefined();

    const [membership] = await listMemberships(world, userId);
    const owner: Actor = {
      userId,
      workspaceId: membership?.workspaceId ?? 0,
      role: "owner",
      scopes: null,
      expiresAt: null,
    };
    const own = await createApiKey(world, owner, newKey);
    await useSignInLink(world, await linkFor(email), form);
    expect(await authenticate(world, own.key, undefined)).toMatchObject({ userId });
  });

  test("lets the person leave or keep each membership when it is verified, and keeps them all until then", async () => {
    const { email, userId, attacker } = await hijacked();
    const own = await createWorkspace(world, { userId }, "Mine");
    await transact(world.db, (tx) => verifyEmail(tx, { userId, email, passwordHash: null }, world.now()));
    expect(await hasMembershipsToReview(world, userId)).toBe(true);
    expect(await listMemberships(world, userId)).toMatchObject([
      { workspaceId: attacker.workspaceId, isConfirmed: false },
      { workspaceId: own, isConfirmed: false },
    ]);

    const left = await reviewMemberships(world, userId, [attacker.workspaceId]);

    expect(left).toEqual([{ workspaceId: own, name: "Mine", role: "owner", isConfirmed: true }]);
    expect(await hasMembershipsToReview(world, userId)).toBe(false);
    expect(await refusal(reviewMemberships(world, userId, [attacker.workspaceId]))).toBe("not_found");
  });

  test("keeps every workspace's only owner, and leaves nothing to review", async () => {
    const { email, userId, attacker } = await hijacked();
    const own = await createWorkspace(world, { userId }, "Mine");
    await transact(world.db, (tx) => verifyEmail(tx, { userId, email, passwordHash: null }, world.now()));

    expect(await refusal(reviewMemberships(world, userId, [attacker.workspaceId, own]))).toBe("conflict");
    expect((await listMemberships(world, userId)).map(({ isConfirmed }) => isConfirmed)).toEqual([false, false]);
  });

  test("that the account has since given up verifies no other address", async () => {
    const { email, userId, key } = await hijacked();
    await world.db.updateTable("users").set({ email: newEmail() }).where("id", "=", userId).execute();

    const isVerified = await transact(world.db, (tx) =>
      verifyEmail(tx, { userId, email, passwordHash: null }, world.now()),
    );

    expect(isVerified).toBe(false);
    expect((await findUser(world, userId))?.verifiedAt).toBeNull();
    expect(await authenticate(world, key, undefined)).toMatchObject({ userId });
  });

  test("of a new account from a mailed link is verified at once, and has nothing to review", async () => {
    const email = newEmail();
    const { mailedToken } = await createInvite(world, await world.newOwner(), { ...openInvite, email });

    const userId = await join(mailedToken, "another@example.com", personPassword);

    expect(await findUser(world, userId)).toMatchObject({ email, verifiedAt: world.now() });
    expect(await hasMembershipsToReview(world, userId)).toBe(false);
  });
});

describe.each([...engines])("API keys on %s", (engine) => {
  let world: AccessWorld;

  beforeAll(async () => {
    world = await openAccessWorld(engine);
  });
  afterAll(() => world.close());

  /** A person with a home workspace who is also a member of the owner's. */
  async function visitor() {
    const home = await world.newOwner();
    const owner = await world.newOwner();
    const { token } = await createInvite(world, owner, openInvite);
    await acceptInvite(world, home, token);
    return { home, owner };
  }

  test("act only in the workspace where they were created, unless they were created for all", async () => {
    const { home, owner } = await visitor();
    const stranger = await world.newOwner();
    const bound = await createApiKey(world, home, { ...newKey, allWorkspaces: false });
    const everywhere = await createApiKey(world, home, newKey);

    expect(await authenticate(world, bound.key, home.workspaceId)).toMatchObject({ workspaceId: home.workspaceId });
    expect(await refusal(authenticate(world, bound.key, owner.workspaceId))).toBe("forbidden");
    expect(await refusal(authenticate(world, bound.key, stranger.workspaceId))).toBe("not_found");
    expect(await authenticate(world, everywhere.key, owner.workspaceId)).toMatchObject({ role: "member" });
  });

  test("for one workspace cannot create keys for all", async () => {
    const { home } = await visitor();
    const { key } = await createApiKey(world, home, { ...newKey, allWorkspaces: false });
    const actor = await authenticate(world, key, undefined);
    if (actor === undefined) throw new Error("The key opens nothing.");

    expect(await refusal(createApiKey(world, actor, newKey))).toBe("forbidden");
    expect(await refusal(createApiKey(world, actor, { ...newKey, allWorkspaces: false }))).toBe("none");
  });

  test("with access to a workspace are visible to its owners, who can revoke them", async () => {
    const { home, owner } = await visitor();
    await createApiKey(world, home, { ...newKey, allWorkspaces: false });
    const everywhere = await createApiKey(world, home, newKey);

    const seen = await listApiKeys(world, owner);
    await revokeApiKey(world, owner, everywhere.id);

    // The row does not reveal in which other workspace it was created.
    expect(seen).toMatchObject([{ id: everywhere.id, allWorkspaces: true, workspaceId: owner.workspaceId }]);
    expect(await authenticate(world, everywhere.key, undefined)).toBeUndefined();
    for (const { workspaceId } of [home, owner]) {
      expect((await world.eventsOf(workspaceId)).at(-1)).toMatchObject({
        type: "apiKey.revoked",
        objectId: everywhere.id,
      });
    }
  });

  test("of other members are hidden from members, who cannot revoke them", async () => {
    const { home, owner } = await visitor();
    const { id } = await createApiKey(world, home, newKey);
    const colleague = await world.newColleague(owner, "member");

    expect(await listApiKeys(world, colleague)).toEqual([]);
    expect(await refusal(revokeApiKey(world, colleague, id))).toBe("forbidden");
  });

  test("that expire or have scopes cannot make owners, by invite or by role", async () => {
    const owner = await world.newOwner();
    const colleague = await world.newColleague(owner, "member");
    const change = { userId: colleague.userId, role: "owner" } as const;
    for (const limits of [{ expiresAt: world.now() + 1_000 }, { scopes: new Set(["workspaces.write"] as const) }]) {
      const actor: Actor = { ...owner, ...limits };
      expect(await refusal(createInvite(world, actor, { ...openInvite, role: "owner" }))).toBe("forbidden");
      expect(await refusal(changeRole(world, actor, change))).toBe("forbidden");
      expect(await refusal(createInvite(world, actor, openInvite))).toBe("none");
    }
    expect(await refusal(createInvite(world, owner, { ...openInvite, role: "owner" }))).toBe("none");
    expect((await listInvites(world, owner)).map(({ role }) => role)).toEqual(["member", "member", "owner"]);
  });
});
