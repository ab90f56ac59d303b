import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engines } from "../../tests/support/databases.ts";
import { type DomainWorld, openDomainWorld } from "../../tests/support/domains.ts";
import { openSeal } from "../base/seal.ts";
import { openSealedKeys } from "../certificates/sealed-keys.ts";
import { signInPurpose } from "../instance-secret.ts";
import { checkSecret } from "./check-secret.ts";

const secret = "the secret of the instance, long enough";
const lostSecret = "the secret that the operator has lost";

describe.each([...engines])("the check of the secret on %s", (engine) => {
  let world: DomainWorld;
  let data = "";

  beforeAll(async () => {
    world = await openDomainWorld(engine);
    data = mkdtempSync(join(tmpdir(), "waypost-test-"));
  });
  afterAll(async () => {
    rmSync(data, { recursive: true });
    await world.close();
  });
  beforeEach(async () => {
    await world.db.deleteFrom("certificates").execute();
    await world.db.deleteFrom("oneTimeCodes").execute();
  });

  const check = (config: { WAYPOST_SECRET?: string } = {}) =>
    checkSecret({ WAYPOST_DATA: data, WAYPOST_SECRET: undefined, WAYPOST_CLICKS_URL: undefined, ...config }, world.db);

  /** Stores what a service with a secret has encrypted: a certificate's key and the one-time codes of a user. */
  async function storeEncrypted(text: string): Promise<void> {
    const at = world.now();
    const sealedKey = openSealedKeys(text).seal("a key", "certificates.sealedKey", "go.example.com");
    await world.db
      .insertInto("certificates")
      .values({
        ...{ name: "go.example.com", chain: "a chain", sealedKey, notBefore: at, notAfter: at + 1, nextAt: at + 1 },
        ...{ createdAt: at, orderUrl: null, orderKey: null, challenge: null, problemKind: null, problem: null },
        ...{ triedAt: null, orderedAt: null, changedAt: at },
      })
      .execute();
    const { userId } = await world.newOwner();
    const sealedSecret = openSeal(text, signInPurpose).seal("a secret", userId);
    await world.db.insertInto("oneTimeCodes").values({ userId, sealedSecret, lastStep: 0, confirmedAt: at }).execute();
  }

  test("passes when the secret opens everything", async () => {
    await storeEncrypted(secret);

    const result = await check({ WAYPOST_SECRET: secret });

    expect(result).toEqual({ check: "secret", ok: true, detail: "WAYPOST_SECRET is set" });
  });

  test("fails with another secret, and says what it does not open and what to do", async () => {
    await storeEncrypted(lostSecret);

    const result = await check({ WAYPOST_SECRET: secret });

    expect(result).toMatchObject({ ok: false });
    expect(result.detail).toStartWith("another secret encrypted private keys and one-time codes in the database.");
    expect(result.detail).toContain("waypost user remove-codes");
  });

  test("fails for a restored database whose folder has no secret yet, and creates none", async () => {
    await storeEncrypted(lostSecret);

    const before = await check();
    writeFileSync(join(data, "secret"), lostSecret, { mode: 0o600 });
    const after = await check();

    expect(before.ok).toBe(false);
    expect(after).toEqual({ check: "secret", ok: true, detail: "kept in the data folder" });
  });
});
