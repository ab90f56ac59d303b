/** Passkeys with a software authenticator, on both engines. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { webcrypto } from "node:crypto";
import { CRLDistributionPointsExtension, X509CertificateGenerator } from "@peculiar/x509";
import { newAuthenticator } from "../../tests/support/authenticator.ts";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { problemOf } from "../../tests/support/problem-of.ts";
import { type AccessWorld, openAccessWorld } from "../../tests/support/workspaces.ts";
import { openSeal } from "../base/seal.ts";
import { transact } from "../database/transact.ts";
import type { Actor } from "./actor.ts";
import { authenticate, createApiKey } from "./api-keys.ts";
import { openAttempts } from "./attempts.ts";
import { listAuditEntries } from "./audit-log.ts";
import { confirmPerson } from "./confirm-person.ts";
import { deleteUser } from "./delete-user.ts";
import { exportUser } from "./export-user.ts";
import { turnOffOneTimeCodes } from "./one-time-codes.ts";
import { openPasskeyChallenges, passkeyChallengeLifeMs } from "./passkey-challenges.ts";
import type { PasskeyOptions } from "./passkey-site.ts";
import { addPasskey, beginPasskey, listPasskeys, passkeysMax, removePasskey, renamePasskey } from "./passkeys.ts";
import { removeSecondFactors } from "./remove-second-factors.ts";
import { findSession, listSessions, openSession } from "./sessions.ts";
import { beginPasskeySignIn, signInByPasskey } from "./sign-in-by-passkey.ts";

const page = { origin: "https://links.example.com", host: "links.example.com" };
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
/** A service that also signs in users with an address by mailed links. */
const config = {
  WAYPOST_URL: new URL(page.origin),
  WAYPOST_PASSWORD_SIGN_IN: "on",
  WAYPOST_OIDC_ISSUER: undefined,
  WAYPOST_SMTP_URL: new URL("smtp://mail.example.com"),
} as const;
const client = { address: "192.0.2.1", userAgent: firefox, language: "en" };

describe.each([...engines])("a passkey on %s", (engine) => {
  let world: AccessWorld;
  beforeAll(async () => {
    world = await openAccessWorld(engine);
  });
  afterAll(() => world.close());

  /** The dependencies of an instance, with the warnings of its log. */
  function open() {
    const warnings: unknown[] = [];
    return {
      ...{ db: world.db, now: world.now, warnings },
      config,
      passkeyChallenges: openPasskeyChallenges(world.now, openSeal("secret", "passkeys")),
      limits: openAttempts(world.now).passkey,
      log: { warn: (message: string, fields?: object) => void warnings.push({ message, ...fields }) },
    };
  }

  async function session(userId: string, method: "password" | "code" = "password") {
    const cookie = await openSession(world, { userId, userAgent: firefox, language: "en", method });
    const sessionId = (await findSession(world, cookie))?.id ?? "";
    return { userId, sessionId, hasSecondFactor: method === "code" };
  }

  /** An owner with an address and a passkey, which was added in the returned session. */
  async function withPasskey() {
    const deps = open();
    const owner = await world.newOwner();
    const email = `${crypto.randomUUID()}@example.com`;
    await world.db.updateTable("users").set({ email }).where("id", "=", owner.userId).execute();
    const own = await session(owner.userId);
    const authenticator = newAuthenticator(page);
    const passkey = await addPasskey(deps, own, {
      name: "Phone",
      ...authenticator.create(await beginPasskey(deps, own)),
    });
    const signIn = (response = authenticator.get(beginPasskeySignIn(deps))) => signInByPasskey(deps, client, response);
    return { deps, owner, own: { ...own, hasSecondFactor: true }, authenticator, passkey, signIn };
  }

  const secondFactorsOf = async (userId: string) =>
    (await world.db.selectFrom("sessions").select(["method", "hasSecondFactor"]).where("userId", "=", userId).execute())
      .map(({ method, hasSecondFactor }) => `${method} ${hasSecondFactor}`)
      .sort();
  const auditOf = async (owner: Actor) =>
    (await listAuditEntries(world, owner, {}, { pageSize: 100 })).map(({ type }) => type);

  test("signs its user in with a second factor, and its last use is listed", async () => {
    const { owner, own, signIn } = await withPasskey();
    world.advance(1);

    const cookie = await signIn();

    expect((await findSession(world, cookie))?.userId).toBe(owner.userId);
    expect(await secondFactorsOf(owner.userId)).toEqual(["passkey 1", "password 1"]);
    expect(await listPasskeys(world, own.userId)).toMatchObject([
      { name: "Phone", host: page.host, lastUsedAt: world.now() },
    ]);
    expect((await auditOf(owner)).slice(0, 2)).toEqual(["signIn.succeeded", "member.passkeyAdded"]);
  });

  test("signs in again while its counter grows, and always without a counter", async () => {
    const { deps, authenticator, signIn } = await withPasskey();
    const using = (counter: number) => refusal(signIn(authenticator.get(beginPasskeySignIn(deps), { counter })));

    expect([await using(0), await using(0), await using(1), await using(7)]).toEqual(["none", "none", "none", "none"]);
    expect([await using(7), await using(3), await using(0)]).toEqual(["unauthorized", "unauthorized", "unauthorized"]);
    expect(await using(8)).toBe("none");
  });

  test("whose counter goes back signs nobody in, and the log and the audit log say so", async () => {
    const { deps, owner, authenticator, passkey, signIn } = await withPasskey();
    await signIn(authenticator.get(beginPasskeySignIn(deps), { counter: 5 }));

    const copied = await refusal(signIn(authenticator.get(beginPasskeySignIn(deps), { counter: 5 })));

    expect(copied).toBe("unauthorized");
    expect(deps.warnings).toEqual([expect.objectContaining({ user: owner.userId, passkey: passkey.id })]);
    const [entry] = await listAuditEntries(world, owner, {}, { pageSize: 1 });
    expect(entry).toMatchObject({ type: "signIn.passkeyRefused", after: { name: "Phone" } });
  });

  test("with a counter that goes back but a wrong signature warns nobody", async () => {
    const { deps, owner, authenticator, signIn } = await withPasskey();
    await signIn(authenticator.get(beginPasskeySignIn(deps), { counter: 5 }));
    const response = authenticator.get(beginPasskeySignIn(deps), { counter: 5 });
    const signature = newAuthenticator(page).get({ challenge: "x" }).signature;

    const refused = await refusal(signIn({ ...response, signature }));

    expect([refused, deps.warnings]).toEqual(["unauthorized", []]);
    expect(await auditOf(owner)).not.toContain("signIn.passkeyRefused");
  });

  test("signs in with each challenge once, within five minutes", async () => {
    const { deps, authenticator, signIn } = await withPasskey();
    const used = beginPasskeySignIn(deps);
    const late = beginPasskeySignIn(deps);
    await signIn(authenticator.get(used));

    const again = await problemOf(signIn(authenticator.get(used)));
    world.advance(passkeyChallengeLifeMs);
    const tooLate = await problemOf(signIn(authenticator.get(late)));
    const invented = await problemOf(signIn(authenticator.get({ challenge: "aW52ZW50ZWQ" })));

    const refused = { code: "unauthorized", message: "Signing in took too long. Try again." } as const;
    expect([again, tooLate, invented]).toEqual([refused, refused, refused]);
  });

  test("that is unknown is refused like a wrong signature, origin, host or user, and without user verification", async () => {
    const { deps, authenticator, signIn } = await withPasskey();
    const other = await withPasskey();
    const stranger = newAuthenticator(page);
    const options = () => beginPasskeySignIn(deps);
    const otherUser = other.authenticator.get(options()).userHandle;

    const wrong = [
      stranger.get(options(), { userHandle: otherUser }),
      { ...authenticator.get(options()), signature: stranger.get(options()).signature },
      { ...authenticator.get(options()), signature: "AA" },
      { ...authenticator.get(options()), authenticatorData: "AA" },
      { ...authenticator.get(options()), id: other.authenticator.id },
      authenticator.get(options(), { origin: "https://evil.example" }),
      authenticator.get(options(), { origin: "https://links.example.com:444" }),
      authenticator.get(options(), { host: "example.com" }),
      authenticator.get(options(), { userHandle: otherUser }),
      authenticator.get(options(), { userHandle: "" }),
      authenticator.get(options(), { isUserVerified: false }),
      { ...authenticator.get(options()), clientDataJSON: "AA" },
    ];
    const problems = [];
    for (const response of wrong) problems.push(await problemOf(signIn(response)));

    const refused = {
      code: "unauthorized",
      message: "This passkey is unknown here, or could not be verified.",
    } as const;
    expect(problems).toEqual(wrong.map(() => refused));
    expect(await refusal(signIn())).toBe("none");
  });

  test("is limited to twenty wrong sign-ins of a network in ten minutes", async () => {
    const { deps, authenticator, signIn } = await withPasskey();
    const wrong = () => refusal(signIn(authenticator.get({ challenge: "aW52ZW50ZWQ" })));

    const refusals = [];
    for (let count = 0; count < 21; count++) refusals.push(await wrong());

    expect(new Set(refusals.slice(0, 20))).toEqual(new Set(["unauthorized"]));
    expect([refusals[20], await refusal(signIn())]).toEqual(["rate_limit_exceeded", "rate_limit_exceeded"]);
    const elsewhere = { ...client, address: "198.51.100.7" };
    const response = authenticator.get(beginPasskeySignIn(deps));
    expect(await refusal(signInByPasskey(deps, elsewhere, response))).toBe("none");
  });

  test("of a disabled user signs nobody in", async () => {
    const { owner, signIn } = await withPasskey();
    await world.db.updateTable("users").set({ disabledAt: 1 }).where("id", "=", owner.userId).execute();

    expect(await refusal(signIn())).toBe("forbidden");
  });

  test("signs nobody in where the identity provider is the only way, or at another host", async () => {
    const { deps, authenticator } = await withPasskey();
    const response = authenticator.get(beginPasskeySignIn(deps));
    const off = { ...deps, config: { ...deps.config, WAYPOST_PASSWORD_SIGN_IN: "off" } } as const;
    const moved = { ...deps, config: { ...deps.config, WAYPOST_URL: new URL("https://new.example.com") } };
    const there = { host: "new.example.com", origin: "https://new.example.com" };

    expect(await refusal(signInByPasskey(off, client, response))).toBe("forbidden");
    const elsewhere = authenticator.get(beginPasskeySignIn(moved), there);
    expect(await refusal(signInByPasskey(moved, client, elsewhere))).toBe("unauthorized");
  });

  test("is added with the challenge of this session only, once and in time", async () => {
    const deps = open();
    const userId = await world.newUser();
    const [own, other] = [await session(userId), await session(userId)];
    const authenticator = newAuthenticator(page);
    const add = (by: typeof own, challenge: Awaited<ReturnType<typeof beginPasskey>>) =>
      refusal(addPasskey(deps, by, { name: "Phone", ...authenticator.create(challenge) }));

    const first = await beginPasskey(deps, own);
    const byOther = await add(other, first);
    const added = await add(own, first);
    const again = await add(own, first);
    const late = await beginPasskey(deps, own);
    world.advance(passkeyChallengeLifeMs);

    // The session has a second factor now, which the person must use before another change.
    expect([byOther, added, again, await add(own, late)]).toEqual(["conflict", "none", "forbidden", "conflict"]);
  });

  test("is not added with a wrong challenge, origin or host, without user verification or twice", async () => {
    const { deps, own, authenticator } = await withPasskey();
    const add = async (ceremony: object, made = newAuthenticator(page)) =>
      refusal(addPasskey(deps, own, { name: "Phone", ...made.create(await beginPasskey(deps, own), ceremony) }));
    const other = newAuthenticator(page).create({ ...(await beginPasskey(deps, own)), challenge: "b3RoZXI" });

    expect([
      await refusal(addPasskey(deps, own, { name: "Phone", ...other })),
      await add({ origin: "https://evil.example" }),
      await add({ host: "example.com" }),
      await add({ isUserVerified: false }),
      await add({}, authenticator),
    ]).toEqual(["conflict", ...Array.from({ length: 3 }, () => "unprocessable_entity"), "conflict"]);
    expect(await listPasskeys(world, own.userId)).toHaveLength(1);
  });

  // The library would request the certificate's revocation list before it checks any signature.
  test("with an attestation whose certificate names a URL does not make the service request it", async () => {
    const requests: string[] = [];
    const internal = Bun.serve({
      ...{ port: 0, hostname: "127.0.0.1" },
      fetch: ({ url }) => {
        requests.push(url);
        return new Response("internal");
      },
    });
    const { deps, own } = await withPasskey();
    const certificate = await certificateWithRevocationList(new URL("/secrets", internal.url).href);
    const ceremony = { attestation: { format: "apple", certificate } };
    const response = newAuthenticator(page).create(await beginPasskey(deps, own), ceremony);

    const added = await refusal(addPasskey(deps, own, { name: "Phone", ...response }));
    await internal.stop(true);

    expect({ added, requests }).toEqual({ added: "none", requests: [] });
  });

  test("cannot be added to an account with twenty, also by simultaneous calls", async () => {
    const { deps, own } = await withPasskey();
    for (let count = 2; count < passkeysMax; count++) {
      await addPasskey(deps, own, { name: "Key", ...newAuthenticator(page).create(await beginPasskey(deps, own)) });
    }
    const other = { ...(await session(own.userId)), hasSecondFactor: true };
    const responses = [
      [own, newAuthenticator(page).create(await beginPasskey(deps, own))],
      [other, newAuthenticator(page).create(await beginPasskey(deps, other))],
    ] as const;

    const outcomes = await Promise.all(
      responses.map(([by, response]) => refusal(addPasskey(deps, by, { name: "Last", ...response }))),
    );

    expect(outcomes.toSorted()).toEqual(["conflict", "none"]);
    expect(await listPasskeys(world, own.userId)).toHaveLength(passkeysMax);
    expect(await refusal(beginPasskey(deps, own))).toBe("conflict");
  });

  test("is required from a session that began with the password alone before another one changes the sign-in", async () => {
    const { deps, own } = await withPasskey();
    const late = await session(own.userId);
    const { ownPassword: limits } = openAttempts(world.now);
    const confirm = (by: typeof own, changed: Partial<PasskeyOptions> = {}) =>
      refusal(confirmPerson({ ...deps, limits, config: { ...config, ...changed } }, by, undefined));
    const response = newAuthenticator(page).create(await beginPasskey(deps, late));

    expect([await confirm(late), await confirm(own)]).toEqual(["forbidden", "none"]);
    expect(await refusal(addPasskey(deps, late, { name: "Phone", ...response }))).toBe("forbidden");
    // Where it signs nobody in, it locks nobody out.
    const elsewhere = { WAYPOST_URL: new URL("https://new.example.com") };
    expect(await confirm(late, { WAYPOST_PASSWORD_SIGN_IN: "off" })).toBe("none");
    expect(await confirm(late, elsewhere)).toBe("none");
  });

  test("is renamed and removed by its user only", async () => {
    const { own, passkey } = await withPasskey();
    const eve = await session(await world.newUser());
    const rename = (userId: string) => renamePasskey(world, { userId, id: passkey.id }, "Laptop");

    expect(await refusal(rename(eve.userId))).toBe("not_found");
    expect(await refusal(removePasskey({ ...world, config }, eve, passkey.id))).toBe("not_found");
    expect(await rename(own.userId)).toMatchObject({ id: passkey.id, name: "Laptop" });
    expect(await removePasskey({ ...world, config }, own, passkey.id)).toEqual({ id: passkey.id, name: "Laptop" });
    expect(await refusal(removePasskey({ ...world, config }, own, passkey.id))).toBe("not_found");
  });

  test("that is removed signs nobody in, and ends the other sessions that began with it", async () => {
    const { owner, own, passkey, signIn } = await withPasskey();
    await signIn();

    await removePasskey({ ...world, config }, own, passkey.id);

    expect(await refusal(signIn())).toBe("unauthorized");
    expect((await listSessions(world, owner.userId)).map(({ id }) => id)).toEqual([own.sessionId]);
    expect(await secondFactorsOf(owner.userId)).toEqual(["password 0"]);
    expect((await auditOf(owner))[0]).toBe("member.passkeyRemoved");
  });

  test("that is the only way to sign in stays, until there is another one", async () => {
    const { deps, own, passkey } = await withPasskey();
    const withoutMail = { ...deps, config: { ...config, WAYPOST_SMTP_URL: undefined } };
    const elsewhere = {
      ...withoutMail,
      config: { ...withoutMail.config, WAYPOST_URL: new URL("https://new.example") },
    };

    const refused = await refusal(removePasskey(withoutMail, own, passkey.id));
    const response = newAuthenticator(page).create(await beginPasskey(deps, own));
    const other = await addPasskey(deps, own, { name: "Key", ...response });
    const removed = await removePasskey(withoutMail, own, passkey.id);

    expect([refused, removed.id]).toEqual(["conflict", passkey.id]);
    expect(await refusal(removePasskey(withoutMail, own, other.id))).toBe("conflict");
    // It signs nobody in there.
    expect(await refusal(removePasskey(elsewhere, own, other.id))).toBe("none");
  });

  test("that has just been removed opens no session", async () => {
    const { owner, own, passkey } = await withPasskey();
    await removePasskey({ ...world, config }, own, passkey.id);

    const opening = openSession(world, {
      ...{ userId: owner.userId, userAgent: firefox, language: "en", method: "passkey" },
      passkeyId: passkey.id,
    });

    expect(await refusal(opening)).toBe("unauthorized");
  });

  test("keeps its user's API keys working in a workspace that requires a second factor", async () => {
    const { owner, own, passkey } = await withPasskey();
    const { key } = await createApiKey(
      world,
      { ...owner, sessionId: own.sessionId, hasSecondFactor: true },
      { name: "Key", scopes: null, expiresAt: null, allWorkspaces: false },
    );
    await world.db
      .updateTable("workspaces")
      .set({ requiresSecondFactor: 1 })
      .where("id", "=", owner.workspaceId)
      .execute();

    const before = await authenticate(world, key, undefined);
    await removePasskey({ ...world, config }, own, passkey.id);
    const after = await authenticate(world, key, undefined);

    expect([before?.lacksSecondFactor, after?.lacksSecondFactor]).toEqual([undefined, true]);
  });

  test("keeps the second factor of sessions when one-time codes are turned off", async () => {
    const { owner, own } = await withPasskey();
    const codes = { sealedSecret: "", lastStep: 0, confirmedAt: 1 };
    await world.db
      .insertInto("oneTimeCodes")
      .values({ userId: owner.userId, ...codes })
      .execute();

    await turnOffOneTimeCodes(world, own);

    expect(await secondFactorsOf(owner.userId)).toEqual(["password 1"]);
  });

  test("is removed with the other second factors, and its sessions end", async () => {
    const { owner, signIn } = await withPasskey();
    await signIn();

    const removed = await transact(world.db, (tx) => removeSecondFactors(tx, owner.userId));
    const again = await transact(world.db, (tx) => removeSecondFactors(tx, owner.userId));

    expect([removed, again]).toEqual([true, false]);
    expect(await secondFactorsOf(owner.userId)).toEqual(["password 0"]);
    expect(await listPasskeys(world, owner.userId)).toEqual([]);
  });

  test("is in the export of its user, and erased with the account", async () => {
    const { owner, authenticator, passkey } = await withPasskey();
    await world.newColleague(owner, "owner");

    const exported = await exportUser(world, owner.userId);
    await transact(world.db, (tx) => deleteUser(tx, owner.userId, world.now()));

    expect(exported.passkeys).toMatchObject([{ id: passkey.id, name: "Phone", host: page.host, lastUsedAt: null }]);
    expect(JSON.stringify(exported)).not.toContain(authenticator.id);
    expect(await listPasskeys(world, owner.userId)).toEqual([]);
  });
});

/** A self-signed certificate in DER that names a revocation list. */
async function certificateWithRevocationList(url: string): Promise<Buffer> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...{ name: "CN=authenticator", keys, signingAlgorithm: algorithm },
    ...{ notBefore: new Date(0), notAfter: new Date("2100-01-01") },
    extensions: [new CRLDistributionPointsExtension([url])],
  });
  return Buffer.from(certificate.rawData);
}
