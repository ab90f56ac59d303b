import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { type AccessWorld, openAccessWorld } from "../../tests/support/workspaces.ts";
import { transact } from "../database/transact.ts";
import { type AttemptLimits, openAttempts } from "./attempts.ts";
import { endSession, findSession, openSession } from "./sessions.ts";
import { updateUser } from "./update-user.ts";
import { findSignInLink, hashPassword, insertSignInLink, setPassword } from "./users.ts";

const present = "the present password";
const other = "set by a mailed link";
const { ownPassword: limits, emailChange: emailChanges } = openAttempts(Date.now);

describe.each([...engines])("a user's change to the account on %s", (engine) => {
  let world: AccessWorld;

  beforeAll(async () => {
    world = await openAccessWorld(engine);
  });
  afterAll(() => world.close());

  async function newPerson() {
    const email = `${crypto.randomUUID()}@example.com`;
    const userId = await world.newUser(email);
    await setPassword(world, email, present);
    const cookie = await openSession(world, { userId, userAgent: "", language: "en", method: "password" });
    const sessionId = (await findSession(world, cookie))?.id ?? "";
    const passwordHash = async () =>
      (await world.db.selectFrom("users").select("passwordHash").where("id", "=", userId).executeTakeFirstOrThrow())
        .passwordHash ?? "";
    return { email, userId, sessionId, cookie, passwordHash };
  }

  const change = { password: { current: present, new: "one of my own" } };

  test("cannot overwrite a password that was set during its check", async () => {
    const { email, userId, sessionId, passwordHash } = await newPerson();
    const hash = await hashPassword(other, { account: "a" });
    const late: AttemptLimits = {
      ...limits,
      // The other password is stored after the check of the old one, and before the new one is hashed.
      async check(attempt, isRight) {
        const fits = await limits.check(attempt, isRight);
        await world.db.updateTable("users").set({ passwordHash: hash }).where("email", "=", email).execute();
        return fits;
      },
    };

    const answer = await refusal(
      updateUser({ ...world, limits: late, emailChanges }, { userId, sessionId, hasSecondFactor: false }, change),
    );

    expect(answer).toBe("conflict");
    expect(await Bun.password.verify(other, await passwordHash())).toBe(true);
  });

  test("has no effect from a session that has ended in between", async () => {
    const { userId, sessionId, cookie, passwordHash } = await newPerson();
    const before = await passwordHash();
    await endSession(world, cookie);

    expect(
      await refusal(
        updateUser({ ...world, limits, emailChanges }, { userId, sessionId, hasSecondFactor: false }, change),
      ),
    ).toBe("unauthorized");
    expect(await passwordHash()).toBe(before);
  });

  test("of the address closes links mailed to the old one", async () => {
    const { userId, sessionId } = await newPerson();
    const token = await transact(world.db, (tx) => insertSignInLink(tx, userId, world.now()));
    const email = `${crypto.randomUUID()}@example.com`;

    await updateUser(
      { ...world, limits, emailChanges },
      { userId, sessionId, hasSecondFactor: false },
      { email, currentPassword: present },
    );

    expect(await findSignInLink(world, token)).toBeUndefined();
  });

  test("does not sign in by a password that was replaced during its check", async () => {
    const { email, userId, passwordHash } = await newPerson();
    const proof = await passwordHash();
    await setPassword(world, email, other);

    expect(
      await refusal(openSession(world, { userId, userAgent: "", language: "en", method: "password", provenBy: proof })),
    ).toBe("unauthorized");
    const again = {
      userId,
      userAgent: "",
      language: "en",
      method: "password",
      provenBy: await passwordHash(),
    } as const;
    expect(await refusal(openSession(world, again))).toBe("none");
  });
});
