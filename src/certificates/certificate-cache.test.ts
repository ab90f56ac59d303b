import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { engines, type TestDatabase, testDatabase } from "../../tests/support/databases.ts";
import { heldBy, storeCertificate, storedSecret } from "../../tests/support/stored-certificates.ts";
import { openLog } from "../base/log.ts";
import { hourMs } from "../base/time.ts";
import { CertificateCache } from "./certificate-cache.ts";
import { CertificateCopy } from "./certificate-copy.ts";
import { formatChallenge } from "./challenge.ts";
import { openSealedKeys } from "./sealed-keys.ts";

describe.each([...engines])("certificates in memory on %s", (engine) => {
  let database: TestDatabase;
  let time = 1_000_000;
  const lines: string[] = [];
  beforeAll(async () => {
    database = await testDatabase(engine);
  });
  afterAll(() => database.close());

  const log = openLog("info", (line) => lines.push(line));
  async function openCache(secret = storedSecret, copy?: CertificateCopy): Promise<CertificateCache> {
    const cache = new CertificateCache({
      ...{ db: database.database.db, keys: openSealedKeys(secret), now: () => time, log, ...(copy && { copy }) },
    });
    await cache.refresh();
    return cache;
  }

  test("are read with their keys, and a renewed one replaces the former", async () => {
    const name = "renewed.example.com";
    await storeCertificate(database.database.db, name, { ...heldBy(name, { key: "first" }), changedAt: time });
    const cache = await openCache();
    expect(cache.find(name)).toEqual({ chain: "leaf\n", privateKey: "first" });
    expect(cache.find(`www.${name}`)).toBeUndefined();

    time += 1_000;
    const renewed = { ...heldBy(name, { chain: "new leaf\n", key: "second" }), changedAt: time };
    await database.database.db.updateTable("certificates").set(renewed).where("name", "=", name).execute();
    await cache.refresh();

    expect(cache.find(name)).toEqual({ chain: "new leaf\n", privateKey: "second" });
  });

  test("are forgotten within minutes when their row is deleted", async () => {
    const name = "deleted.example.com";
    await storeCertificate(database.database.db, name, { ...heldBy(name), changedAt: time });
    const cache = await openCache();
    await database.database.db.deleteFrom("certificates").where("name", "=", name).execute();

    time += hourMs;
    await cache.refresh();

    expect(cache.find(name)).toBeUndefined();
  });

  test("are read although their copy cannot be written, which the log says once", async () => {
    const name = "uncopied.example.com";
    await storeCertificate(database.database.db, name, { ...heldBy(name), changedAt: time });
    const cache = await openCache(storedSecret, new CertificateCopy(tmpdir(), log));
    time += hourMs;
    await cache.refresh();

    expect(cache.find(name)).toBeDefined();
    expect(lines.filter((line) => line.includes("copy of the certificates"))).toHaveLength(1);
  });

  test("show a challenge while it runs", async () => {
    const name = "challenged.example.com";
    const keys = openSealedKeys(storedSecret);
    const challenge = formatChallenge({
      ...{ type: "http-01", token: "token", keyAuthorization: "token.print", certificate: null },
    });
    await storeCertificate(database.database.db, name, {
      ...{ challenge: keys.seal(challenge, "certificates.challenge", name), changedAt: time },
    });
    const cache = await openCache();
    expect(cache.httpChallengeResponse("token")).toBe("token.print");
    expect(cache.httpChallengeResponse("another")).toBeUndefined();

    time += 1_000;
    const over = { challenge: null, changedAt: time };
    await database.database.db.updateTable("certificates").set(over).where("name", "=", name).execute();
    await cache.refresh();

    expect(cache.httpChallengeResponse("token")).toBeUndefined();
  });

  test("are stored without a readable key, and another secret does not open them", async () => {
    const name = "sealed.example.com";
    await storeCertificate(database.database.db, name, { ...heldBy(name, { key: "PRIVATE" }), changedAt: time });
    const { sealedKey } = await database.database.db
      .selectFrom("certificates")
      .select("sealedKey")
      .where("name", "=", name)
      .executeTakeFirstOrThrow();
    expect(sealedKey).not.toContain("PRIVATE");

    const cache = await openCache("another secret, with which nothing was sealed");

    // A visit over HTTP and a handshake look for it each time.
    expect([cache.find(name), cache.find(name)]).toEqual([undefined, undefined]);
    expect(lines.filter((line) => line.includes("A certificate cannot be used."))).toHaveLength(1);
    expect((await openCache()).find(name)?.privateKey).toBe("PRIVATE");
  });

  test("do not take the key of another name", async () => {
    await storeCertificate(database.database.db, "moved.example.com", {
      ...heldBy("owner.example.com"),
      changedAt: time,
    });

    expect((await openCache()).find("moved.example.com")).toBeUndefined();
  });
});
