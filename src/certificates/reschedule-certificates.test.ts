import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type DomainWorld, openDomainWorld } from "../../tests/support/domains.ts";
import { storeCertificate } from "../../tests/support/stored-certificates.ts";
import { dayMs } from "../base/time.ts";
import { accountPause } from "./acme-account.ts";
import { rescheduleCertificates } from "./reschedule-certificates.ts";

describe.each([...engines])("certificates on %s after the clock was ahead", (engine) => {
  let world: DomainWorld;
  beforeAll(async () => {
    world = await openDomainWorld(engine);
  });
  afterAll(() => world.close());

  test("are due when their attempt was set by that clock, and not when it is a renewal or a wish of the authority", async () => {
    const now = world.now();
    const ahead = now + 365 * dayMs;
    const expired = { notBefore: now - 90 * dayMs, notAfter: now };
    const valid = { notBefore: now, notAfter: now + 90 * dayMs };
    await storeCertificate(world.db, "waiting.example.com", { nextAt: ahead, triedAt: ahead });
    await storeCertificate(world.db, "expired.example.com", { nextAt: ahead, triedAt: ahead, ...expired });
    await storeCertificate(world.db, "limited.example.com", { nextAt: now + 30 * dayMs, triedAt: now });
    await storeCertificate(world.db, "valid.example.com", { nextAt: now + 60 * dayMs, triedAt: now, ...valid });

    await rescheduleCertificates(world);

    const rows = await world.db
      .selectFrom("certificates")
      .select(["name", "nextAt", "triedAt"])
      .orderBy("name")
      .execute();
    expect(rows).toEqual([
      { name: "expired.example.com", nextAt: now, triedAt: null },
      { name: "limited.example.com", nextAt: now + 30 * dayMs, triedAt: now },
      { name: "valid.example.com", nextAt: now + 60 * dayMs, triedAt: now },
      { name: "waiting.example.com", nextAt: now, triedAt: null },
    ]);
  });

  test("wait for no pause that was set by that clock", async () => {
    const directory = "https://authority.example/directory";
    const pausedUntil = world.now() + 365 * dayMs;
    await world.db
      .insertInto("acmeAccounts")
      .values({ directory, sealedKey: "", pausedUntil, failures: 1, createdAt: 0 })
      .execute();

    const { until } = await accountPause(world, directory);

    expect(until).toBe(0);
  });
});
