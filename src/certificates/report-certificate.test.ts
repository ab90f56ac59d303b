import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type DomainWorld, openDomainWorld, txtResolver } from "../../tests/support/domains.ts";
import { problemOf } from "../../tests/support/problem-of.ts";
import { addVerified, storeCertificate, storedSecret } from "../../tests/support/stored-certificates.ts";
import { openLog } from "../base/log.ts";
import { dayMs, hourMs, isoTime, minuteMs } from "../base/time.ts";
import { readConfig } from "../config.ts";
import { createDomain } from "../domains/create-domain.ts";
import { type Certificates, openCertificates } from "./certificates.ts";
import { reportCertificate, retryCertificate } from "./report-certificate.ts";

describe.each([...engines])("a domain's certificates on %s", (engine) => {
  let world: DomainWorld;
  let certificates: Certificates;
  const cleanups: (() => unknown)[] = [];
  const now = 100 * dayMs;
  beforeAll(async () => {
    world = await openDomainWorld(engine);
    certificates = await openCertificates(
      readConfig({ WAYPOST_SECRET: storedSecret, WAYPOST_ACME_ACCEPT_TERMS: "true" }),
      {
        db: world.db,
        resolver: txtResolver(async () => ({ kind: "absent", reason: "empty" })),
        log: openLog("error", () => {}),
        now: () => now,
      },
      cleanups,
    );
  });
  afterAll(async () => {
    for (const close of cleanups) await close();
    await world.close();
  });

  const deps = () => ({ db: world.db, now: () => now, certificates });
  const nextOf = async (name: string) =>
    (await world.db.selectFrom("certificates").select("nextAt").where("name", "=", name).executeTakeFirstOrThrow())
      .nextAt;

  test("are reported for each of its names", async () => {
    const owner = await addVerified(world, "both.example.com");
    const missing = { problemKind: "dns", problem: "No record.", nextAt: now + hourMs } as const;
    await storeCertificate(world.db, "both.example.com", { notBefore: 0, notAfter: now + dayMs, nextAt: now + dayMs });
    await storeCertificate(world.db, "www.both.example.com", missing);

    expect(await reportCertificate(deps(), owner, "both.example.com")).toEqual({
      slug: "both.example.com",
      state: "valid",
      notBefore: isoTime(0),
      notAfter: isoTime(now + dayMs),
      problem: null,
      nextAttemptAt: isoTime(now + dayMs),
      www: {
        name: "www.both.example.com",
        state: "waiting",
        notBefore: null,
        notAfter: null,
        problem: "No record.",
        nextAttemptAt: isoTime(now + hourMs),
      },
    });
  });

  test("are not reported for www. before the domain is verified", async () => {
    const owner = await world.newOwner();
    await createDomain(world, owner, { slug: "new.example.com" });

    const report = await reportCertificate(deps(), owner, "new.example.com");

    expect(report).toMatchObject({ state: "unverified", www: null });
  });

  test("are tried again together, except valid ones", async () => {
    const owner = await addVerified(world, "again.example.com");
    const failed = { problemKind: "authority", problem: "No.", failures: 2, triedAt: now - hourMs } as const;
    await storeCertificate(world.db, "again.example.com", { notAfter: now + dayMs, nextAt: now + hourMs });
    await storeCertificate(world.db, "www.again.example.com", { ...failed, nextAt: now + hourMs });

    await retryCertificate(deps(), owner, "again.example.com");

    expect(await nextOf("again.example.com")).toBe(now + hourMs);
    expect(await nextOf("www.again.example.com")).toBe(now);
  });

  test("are not tried again within five minutes after the authority refused", async () => {
    const owner = await addVerified(world, "early.example.com");
    const failed = { problemKind: "authority", problem: "No.", failures: 2, triedAt: now - minuteMs } as const;
    await storeCertificate(world.db, "early.example.com", { ...failed, nextAt: now + hourMs });

    expect(await problemOf(retryCertificate(deps(), owner, "early.example.com"))).toEqual({
      code: "rate_limit_exceeded",
      message: `Waypost limits how often an order is repeated. The next attempt is possible at ${isoTime(now + 4 * minuteMs)}.`,
    });
  });

  test("are not tried again before the time that the authority named", async () => {
    const owner = await addVerified(world, "limited.example.com");
    const limited = { problemKind: "authority", problem: "Wait.", failures: 0, triedAt: now - hourMs } as const;
    await storeCertificate(world.db, "limited.example.com", { ...limited, nextAt: now + hourMs });

    expect(await problemOf(retryCertificate(deps(), owner, "limited.example.com"))).toEqual({
      code: "rate_limit_exceeded",
      message: `The certificate authority limits orders or is unavailable. The next attempt is possible at ${isoTime(now + hourMs)}.`,
    });
  });

  test("do not refuse because of an optional name whose DNS was just asked", async () => {
    const owner = await addVerified(world, "calm.example.com");
    const missing = { problemKind: "dns", problem: "No record.", failures: 2, triedAt: now - 1 } as const;
    await storeCertificate(world.db, "calm.example.com", { notAfter: now + dayMs, nextAt: now + hourMs });
    await storeCertificate(world.db, "www.calm.example.com", { ...missing, nextAt: now + hourMs });

    expect(await retryCertificate(deps(), owner, "calm.example.com")).toMatchObject({ state: "valid" });
    expect(await nextOf("www.calm.example.com")).toBe(now + hourMs);
  });
});
