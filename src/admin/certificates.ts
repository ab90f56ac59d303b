import { Problem } from "../base/problem.ts";
import { isoTimeOrNull } from "../base/time.ts";
import { type CertificateRow, certificateState } from "../certificates/certificate.ts";
import { missingTerms } from "../certificates/missing-terms.ts";
import { isProvenName, needsCertificate } from "../certificates/proven-names.ts";
import { openSealedKeys, WrongSecret } from "../certificates/sealed-keys.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import { instanceSecret, presentSecret } from "../instance-secret.ts";
import type { AdminDeps } from "./operation.ts";

/** The operator's commands for certificates. */

type Deps = { db: Db; now: () => number };
type SecretOptions = Pick<Config, "WAYPOST_DATA" | "WAYPOST_SECRET">;

/** Certificates listed at most; the metrics count them all. */
const listedMax = 10_000;
/** Certificates that one query reads when keys are checked. */
const batchRowsMax = 500;

const unreadableKey = "Its key was encrypted with another secret; waypost doctor says what to do.";

/**
 * Lists the certificates of the instance's host and of all verified domains by name, at most listedMax; see
 * needsCertificate. One whose key the present secret does not decrypt has failed: no visitor gets it.
 */
export async function listCertificates({ db, now, config }: Deps & { config: SecretOptions }) {
  const isReadable = readsKeys(presentSecret(config));
  const rows = await db
    .selectFrom("certificates")
    .select(["name", "notBefore", "notAfter", "orderUrl", "problem", "problemKind", "nextAt", ...sealedColumns])
    .where(needsCertificate(db))
    .orderBy("name")
    .limit(listedMax)
    .execute();
  return rows.map((row) => ({
    name: row.name,
    notBefore: isoTimeOrNull(row.notBefore),
    notAfter: isoTimeOrNull(row.notAfter),
    nextAttemptAt: isoTimeOrNull(row.nextAt),
    ...(isReadable(row)
      ? { state: certificateState(row, now()), problem: row.problem }
      : { state: "failed" as const, problem: unreadableKey }),
  }));
}

/**
 * Makes the next order of a name due now, whether its certificate is valid or not. Limits of the authority still apply.
 * Throws "not_found", and "conflict" while the authority's terms are not accepted.
 */
export async function renewCertificate({ db, now, config, app }: AdminDeps, { name }: { name: string }) {
  const terms = missingTerms(app?.config ?? config);
  if (terms !== undefined) throw new Problem("conflict", terms);
  const { numUpdatedRows } = await db
    .updateTable("certificates")
    .set({ nextAt: now() })
    .where("name", "=", name)
    .where(isProvenName(db))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) {
    throw new Problem(
      "not_found",
      `${name} has no certificate and no order: it must be this service's host or a verified domain.`,
    );
  }
  return { name, nextAttemptAt: isoTimeOrNull(now()) };
}

/**
 * Deletes the keys that the current secret cannot decrypt, after the old one was lost: accounts at authorities, and
 * certificates, which are ordered again. Keys that it can decrypt stay. Returns how many were deleted.
 */
export async function forgetUnreadableKeys({ db, config }: { db: Db; config: SecretOptions }) {
  const secret = instanceSecret(config);
  const [keys, hasReadableKeys] = [openSealedKeys(secret), readsKeys(secret)];
  let accounts = 0;
  for (const { directory, sealedKey } of await db.selectFrom("acmeAccounts").selectAll().execute()) {
    if (isOpened(() => keys.open(sealedKey, "acmeAccounts.sealedKey", directory))) continue;
    await db.deleteFrom("acmeAccounts").where("directory", "=", directory).execute();
    accounts++;
  }
  let certificates = 0;
  for (let after = "", isComplete = false; !isComplete; ) {
    const rows = await db
      .selectFrom("certificates")
      .select(["name", ...sealedColumns])
      .where("name", ">", after)
      .orderBy("name")
      .limit(batchRowsMax)
      .execute();
    const unreadable = rows.filter((row) => !hasReadableKeys(row)).map(({ name }) => name);
    if (unreadable.length > 0) await db.deleteFrom("certificates").where("name", "in", unreadable).execute();
    certificates += unreadable.length;
    after = rows.at(-1)?.name ?? after;
    isComplete = rows.length < batchRowsMax;
  }
  return { accounts, certificates };
}

/** The columns whose values the secret encrypts. */
export const sealedColumns = ["sealedKey", "orderKey", "challenge"] as const;
type SealedColumns = Pick<CertificateRow, "name" | "sealedKey" | "orderKey" | "challenge">;

/** Returns a test of rows: true if a secret decrypts every key of the row. Without a secret, it decrypts none. */
export function readsKeys(secret: string | undefined): (row: SealedColumns) => boolean {
  const keys = secret === undefined ? undefined : openSealedKeys(secret);
  return (row) =>
    sealedColumns.every((column) => {
      const sealed = row[column];
      return (
        sealed === null || (keys !== undefined && isOpened(() => keys.open(sealed, `certificates.${column}`, row.name)))
      );
    });
}

function isOpened(open: () => string): boolean {
  try {
    open();
    return true;
  } catch (error) {
    if (error instanceof WrongSecret) return false;
    throw error;
  }
}
