import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type DomainWorld, openDomainWorld } from "../../tests/support/domains.ts";
import { openSealedKeys } from "../certificates/sealed-keys.ts";
import { readConfig } from "../config.ts";
import { createDomain } from "../domains/create-domain.ts";
import { forgetUnreadableKeys, listCertificates, renewCertificate } from "./certificates.ts";

const currentSecret = "the current secret of the instance";
const lostSecret = "the secret that the operator has lost";
const config = { WAYPOST_DATA: "/nonexistent", WAYPOST_SECRET: currentSecret };

describe.each([...engines])("commands for certificates on %s", (engine) => {
  let world: DomainWorld;

  beforeAll(async () => {
    world = await openDomainWorld(engine);
  });
  afterAll(() => world.close());

  /** Stores a certificate whose key was encrypted with a secret, for a verified domain. */
  async function storeCertificate(name: string, secret: string): Promise<void> {
    const { id } = await createDomain(world, await world.newOwner(), { slug: name });
    await world.db.updateTable("domains").set({ status: "verified" }).where("id", "=", id).execute();
    const sealedKey = openSealedKeys(secret).seal("a key", "certificates.sealedKey", name);
    const at = world.now();
    await world.db
      .insertInto("certificates")
      .values({
        ...{ name, chain: "a chain", sealedKey, notBefore: at, notAfter: at + 1, nextAt: at + 1, createdAt: at },
        ...{ orderUrl: null, orderKey: null, challenge: null, problemKind: null, problem: null },
        ...{ triedAt: null, orderedAt: null, changedAt: at },
      })
      .execute();
  }
  async function storeAccount(directory: string, secret: string): Promise<void> {
    const sealedKey = openSealedKeys(secret).seal("a key", "acmeAccounts.sealedKey", directory);
    const unused = { url: null, email: null, pausedUntil: null, problem: null };
    await world.db
      .insertInto("acmeAccounts")
      .values({ directory, sealedKey, createdAt: world.now(), ...unused })
      .execute();
  }

  test("after the secret was lost, only the keys that cannot be read are deleted", async () => {
    await storeCertificate("kept.example.com", currentSecret);
    await storeCertificate("lost.example.com", lostSecret);
    await storeAccount("https://kept.example.net", currentSecret);
    await storeAccount("https://lost.example.net", lostSecret);
    const before = (await listCertificates({ ...world, config })).map(({ name, state }) => [name, state]);
    const forgotten = await forgetUnreadableKeys({ db: world.db, config });

    const names = (await listCertificates({ ...world, config })).map(({ name, state }) => [name, state]);
    const accounts = await world.db.selectFrom("acmeAccounts").select("directory").execute();
    expect({ before, forgotten, names, accounts }).toEqual({
      before: [
        ["kept.example.com", "valid"],
        ["lost.example.com", "failed"],
      ],
      forgotten: { accounts: 1, certificates: 1 },
      names: [["kept.example.com", "valid"]],
      accounts: [{ directory: "https://kept.example.net" }],
    });
  });

  test("a renewal makes the next order of a verified domain due now, and refuses other names", async () => {
    await storeCertificate("renewed.example.com", currentSecret);

    const deps = { ...world, config: readConfig({ WAYPOST_HTTPS_PORT: "443", WAYPOST_ACME_ACCEPT_TERMS: "true" }) };
    await renewCertificate(deps, { name: "renewed.example.com" });

    const listed = (await listCertificates({ ...world, config })).find(({ name }) => name === "renewed.example.com");
    expect(listed?.nextAttemptAt).toBe(new Date(world.now()).toISOString());
    await expect(renewCertificate(deps, { name: "other.example.com" })).rejects.toThrow("other.example.com");
  });

  test("a renewal is refused while the authority's terms are not accepted, with the option that accepts them", async () => {
    const deps = { ...world, config: readConfig({ WAYPOST_HTTPS_PORT: "443" }) };

    await expect(renewCertificate(deps, { name: "go.example.com" })).rejects.toThrow("WAYPOST_ACME_ACCEPT_TERMS=true");
  });
});
