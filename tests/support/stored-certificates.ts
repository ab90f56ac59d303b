import type { CertificateRow } from "../../src/certificates/certificate.ts";
import { openSealedKeys } from "../../src/certificates/sealed-keys.ts";
import type { Db } from "../../src/database/database.ts";
import { createDomain } from "../../src/domains/create-domain.ts";
import type { DomainWorld } from "./domains.ts";

/** The secret that seals the keys of stored certificates. */
export const storedSecret = "a secret that only the tests know, of 32 characters";

/** Creates a verified domain in a new workspace and returns its owner. */
export async function addVerified(world: DomainWorld, slug: string) {
  const owner = await world.newOwner();
  const { id } = await createDomain(world, owner, { slug });
  await world.db.updateTable("domains").set({ status: "verified" }).where("id", "=", id).execute();
  return owner;
}

/** Stores a row with a certificate or without, as `changes` say; without them one that has just been added. */
export async function storeCertificate(db: Db, name: string, changes: Partial<CertificateRow> = {}): Promise<void> {
  const at = changes.changedAt ?? 0;
  await db
    .insertInto("certificates")
    .values({
      ...{ name, chain: null, sealedKey: null, notBefore: null, notAfter: null },
      ...{ orderUrl: null, orderKey: null, challenge: null, problemKind: null, problem: null },
      ...{ nextAt: at, triedAt: null, orderedAt: null, createdAt: at, changedAt: at },
      ...changes,
    })
    .execute();
}

/** The columns of a certificate with a chain and a key. */
export function heldBy(name: string, { chain = "leaf\n", key = "a key", secret = storedSecret } = {}) {
  return { chain, sealedKey: openSealedKeys(secret).seal(key, "certificates.sealedKey", name) };
}
