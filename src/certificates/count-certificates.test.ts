import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Gauge } from "prom-client";
import { engines } from "../../tests/support/databases.ts";
import { type DomainWorld, openDomainWorld } from "../../tests/support/domains.ts";
import { addVerified, storeCertificate } from "../../tests/support/stored-certificates.ts";
import { dayMs } from "../base/time.ts";
import { countCertificates } from "./count-certificates.ts";

describe.each([...engines])("counts of certificates on %s", (engine) => {
  let world: DomainWorld;
  beforeAll(async () => {
    world = await openDomainWorld(engine);
  });
  afterAll(() => world.close());

  async function counted(now: number): Promise<{ counts: Record<string, number>; expiry: number }> {
    const certificates = new Gauge({ name: "certificates", help: "x", labelNames: ["state"], registers: [] });
    const certificateExpiry = new Gauge({ name: "expiry", help: "x", registers: [] });
    await countCertificates({ db: world.db, now: () => now, metrics: { certificates, certificateExpiry } });
    const { values } = await certificates.get();
    const counts = Object.fromEntries(values.map(({ labels, value }) => [labels.state, value]));
    return { counts, expiry: (await certificateExpiry.get()).values[0]?.value ?? Number.NaN };
  }

  test("are by state, with the first expiry, of names that need one", async () => {
    const now = 100 * dayMs;
    for (const slug of ["one.example.com", "two.example.com", "three.example.com"]) await addVerified(world, slug);
    const missing = { problemKind: "dns", problem: "No record." } as const;
    await storeCertificate(world.db, "one.example.com", { notAfter: 150 * dayMs, changedAt: now });
    await storeCertificate(world.db, "www.one.example.com", { notAfter: 120 * dayMs, changedAt: now });
    await storeCertificate(world.db, "two.example.com", { ...missing, changedAt: now });
    // Its owner has removed the DNS record on purpose.
    await storeCertificate(world.db, "www.two.example.com", { ...missing, notAfter: 90 * dayMs, changedAt: now });
    await storeCertificate(world.db, "three.example.com", { problemKind: "authority", problem: "No.", changedAt: now });
    await storeCertificate(world.db, "foreign.example.com", { notAfter: 110 * dayMs, changedAt: now });

    expect(await counted(now)).toEqual({
      counts: { waiting: 1, ordering: 0, valid: 2, renewalFailed: 0, failed: 1, expired: 0 },
      expiry: (120 * dayMs) / 1_000,
    });
  });

  test("remove certificates a month after their domain, but not those of its www. name", async () => {
    await addVerified(world, "kept.example.com");
    for (const name of ["kept.example.com", "www.kept.example.com", "gone.example.com", "www.gone.example.com"]) {
      await storeCertificate(world.db, name, { changedAt: 0 });
    }

    await counted(31 * dayMs);

    const rows = await world.db.selectFrom("certificates").select("name").where("changedAt", "=", 0).execute();
    expect(rows.map(({ name }) => name).sort()).toEqual(["kept.example.com", "www.kept.example.com"]);
  });
});
