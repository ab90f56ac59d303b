import { openSeal } from "../base/seal.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import { inspectSecret, presentSecret, sharedSecretProblem, signInPurpose } from "../instance-secret.ts";
import { readsKeys, sealedColumns } from "./certificates.ts";
import type { CheckResult } from "./check-result.ts";

type Options = Pick<Config, "WAYPOST_DATA" | "WAYPOST_SECRET" | "WAYPOST_CLICKS_URL">;

const check = "secret";
/** Rows of one table that are decrypted. A service has one secret, so a few rows would do. */
const rowsMax = 100;

/**
 * Checks where the secret comes from and, with a database, that the secret decrypts what is encrypted there. After a restore
 * without the former secret, it does not. Creates no secret.
 */
export async function checkSecret(config: Options, db: Db | undefined): Promise<CheckResult> {
  const problem = sharedSecretProblem(config);
  if (problem !== undefined) return { check, ok: false, detail: problem };
  const found = inspectSecret(config);
  if (found.kind === "file" && found.problem !== undefined) return { check, ok: false, detail: found.problem };
  const unreadable = db === undefined ? [] : await unreadableTexts(db, presentSecret(config));
  if (unreadable.length > 0) return { check, ok: false, detail: wrongSecret(unreadable) };
  const isUnneeded = found.kind === "absent" && db !== undefined;
  return { check, ok: true, detail: isUnneeded ? `nothing is encrypted yet; ${places.absent}` : places[found.kind] };
}

const places = {
  option: "WAYPOST_SECRET is set",
  absent: "the first start creates one in the data folder",
  file: "kept in the data folder",
} as const;

function wrongSecret(unreadable: readonly string[]): string {
  return `another secret encrypted ${unreadable.join(" and ")} in the database. Set WAYPOST_SECRET to that one, or put the former file "secret" into the data folder, and restart. If it is lost, run waypost certificates forget-keys, and waypost user remove-codes for people who cannot sign in`;
}

/** What the secret does not decrypt; without a secret, everything that is encrypted. */
async function unreadableTexts(db: Db, secret: string | undefined): Promise<string[]> {
  const columns = ["name", ...sealedColumns] as const;
  const certificates = await db.selectFrom("certificates").select(columns).limit(rowsMax).execute();
  const codes = await db.selectFrom("oneTimeCodes").select(["userId", "sealedSecret"]).limit(rowsMax).execute();
  const seal = secret === undefined ? undefined : openSeal(secret, signInPurpose);
  const opensKeys = certificates.every(readsKeys(secret));
  const opensCodes = codes.every(({ userId, sealedSecret }) => seal?.open(sealedSecret, userId) !== undefined);
  return [...(opensKeys ? [] : ["private keys"]), ...(opensCodes ? [] : ["one-time codes"])];
}
