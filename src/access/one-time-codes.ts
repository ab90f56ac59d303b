/**
 * One-time codes of authenticator apps (TOTP, RFC 6238), and recovery codes.
 *
 * 1. The secret is encrypted with the secret of the instance. Recovery codes have 80 random bits; their SHA-256 is
 *    stored.
 * 2. A code belongs to a time step, a period of 30 seconds counted from 1970. It works once: the step of the last accepted
 *    code is stored, and only codes of later steps are accepted. Using a recovery code deletes it.
 * 3. Signing in requires a code only after the person has confirmed one, so that a lost QR code locks nobody out.
 * 4. The clock of an app may be one step early or late.
 */
import { Secret, TOTP } from "otpauth";
import { sha256 } from "../base/ids.ts";
import { invalid, Problem } from "../base/problem.ts";
import type { Seal } from "../base/seal.ts";
import { secondMs } from "../base/time.ts";
import { countRows } from "../database/count-rows.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import type { AttemptLimits } from "./attempts.ts";
import type { OwnSession } from "./confirm-person.ts";
import { lockEnabledUser } from "./disabled-user.ts";
import { endUnusedSecondFactor } from "./second-factors.ts";
import { endSessionsOf, requireSession } from "./sessions.ts";

/** The number of recovery codes that a user gets. */
export const recoveryCodesCount = 10;
/** The most characters of a typed code: six digits or a recovery code, with spaces. */
export const codeCharactersMax = 40;
const secretBytes = 20;
const recoveryCodeBytes = 10;
const stepSeconds = 30;
const earlyOrLateStepsMax = 1;

/** Since when signing in requires codes (null if it does not), and how many recovery codes are left. */
export type OneTimeCodesState = { since: number | null; recoveryCodesLeft: number };
/** The secret for an authenticator app, as text and as the URI of a QR code. */
type NewOneTimeCodes = { secret: string; uri: string };

type Deps = { db: Db; now: () => number; seal: Seal; limits: AttemptLimits };

/** The state of the user's one-time codes. */
export async function getOneTimeCodes({ db }: Pick<Deps, "db">, userId: string): Promise<OneTimeCodesState> {
  const row = await db
    .selectFrom("oneTimeCodes")
    .select("confirmedAt")
    .where("userId", "=", userId)
    .where("confirmedAt", "is not", null)
    .executeTakeFirst();
  if (row === undefined) return { since: null, recoveryCodesLeft: 0 };
  const recoveryCodesLeft = await countRows(db.selectFrom("recoveryCodes").where("userId", "=", userId));
  return { since: row.confirmedAt, recoveryCodesLeft };
}

/**
 * Creates the secret for an authenticator app; it replaces an unconfirmed earlier one. Signing in requires no code
 * before confirmOneTimeCodes. Throws "conflict" when it already requires one.
 */
export async function beginOneTimeCodes(
  { db, seal }: Pick<Deps, "db" | "seal">,
  { userId, sessionId }: OwnSession,
  issuer: string,
): Promise<NewOneTimeCodes> {
  const secret = new Secret({ size: secretBytes });
  return await transact(db, async (tx) => {
    await requireSession(tx, userId, sessionId);
    const user = await tx.selectFrom("users").select(["email", "name"]).where("id", "=", userId).executeTakeFirst();
    const values = { sealedSecret: seal.seal(secret.base32, userId), lastStep: 0, confirmedAt: null };
    const written = await tx
      .insertInto("oneTimeCodes")
      .values({ userId, ...values })
      .onConflict((conflict) =>
        conflict.column("userId").doUpdateSet(values).where("oneTimeCodes.confirmedAt", "is", null),
      )
      .returning("userId")
      .executeTakeFirst();
    if (written === undefined) throw new Problem("conflict", "One-time codes are already on; turn them off first.");
    return { secret: secret.base32, uri: totpOf(secret, issuer, user?.email ?? user?.name ?? "").toString() };
  });
}

/**
 * Turns one-time codes on with a first code, and returns the recovery codes. All other sessions end, since they began
 * without a second factor. Throws "unprocessable_entity" for a wrong code, "conflict" without a new secret,
 * "rate_limit_exceeded" after too many wrong codes.
 */
export async function confirmOneTimeCodes(
  deps: Deps,
  { userId, sessionId }: OwnSession,
  code: string,
): Promise<string[]> {
  const row = await deps.db
    .selectFrom("oneTimeCodes")
    .selectAll()
    .where("userId", "=", userId)
    .where("confirmedAt", "is", null)
    .executeTakeFirst();
  if (row === undefined) throw new Problem("conflict", "Begin with a new QR code.");
  const step = await acceptedStep(deps, row, code);
  if (step === undefined) throw invalid("code", "is wrong. Check that the clock of your device is right.");
  return await transact(deps.db, async (tx) => {
    // A sign-in that takes this lock later needs a code; the session of an earlier one ends here.
    await lockEnabledUser(tx, userId);
    await requireSession(tx, userId, sessionId);
    const { numUpdatedRows } = await tx
      .updateTable("oneTimeCodes")
      .set({ confirmedAt: deps.now(), lastStep: step })
      .where("userId", "=", userId)
      .where("sealedSecret", "=", row.sealedSecret)
      .where("confirmedAt", "is", null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw new Problem("conflict", "Begin with a new QR code.");
    await tx.updateTable("sessions").set({ hasSecondFactor: 1 }).where("id", "=", sessionId).execute();
    await endSessionsOf(tx, userId, sessionId);
    return await replaceRecoveryCodes(tx, userId);
  });
}

/** The step of a right code that is later than the last accepted one; undefined for any other code. */
async function acceptedStep(
  { seal, now, limits }: Deps,
  { userId, sealedSecret, lastStep }: { userId: string; sealedSecret: string; lastStep: number },
  code: string,
): Promise<number | undefined> {
  let step: number | undefined;
  const isAccepted = await limits.check({ address: undefined, account: userId }, async () => {
    step = stepOf(openSecret(seal, { userId, sealedSecret }), code, now());
    return step !== undefined && step > lastStep;
  });
  return isAccepted ? step : undefined;
}

/** Replaces the recovery codes, and returns the new ones. Throws "conflict" while codes are off. */
export async function renewRecoveryCodes(
  { db }: Pick<Deps, "db">,
  { userId, sessionId }: OwnSession,
): Promise<string[]> {
  return await transact(db, async (tx) => {
    await requireSession(tx, userId, sessionId);
    if ((await getOneTimeCodes({ db: tx }, userId)).since === null) throw oneTimeCodesAreOff();
    return await replaceRecoveryCodes(tx, userId);
  });
}

async function replaceRecoveryCodes(tx: Tx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodesCount }, () => new Secret({ size: recoveryCodeBytes }).base32);
  await tx.deleteFrom("recoveryCodes").where("userId", "=", userId).execute();
  await tx
    .insertInto("recoveryCodes")
    .values(codes.map((code) => ({ userId, hash: sha256(code) })))
    .execute();
  return codes.map((code) => code.toLowerCase().replace(/(.{4})(?=.)/g, "$1-"));
}

/** Turns one-time codes off and deletes the recovery codes. Throws "conflict" while they are off. */
export async function turnOffOneTimeCodes(
  { db }: Pick<Deps, "db">,
  { userId, sessionId }: OwnSession,
): Promise<OneTimeCodesState> {
  return await transact(db, async (tx) => {
    await requireSession(tx, userId, sessionId);
    if (!(await removeOneTimeCodes(tx, userId))) throw oneTimeCodesAreOff();
    return await getOneTimeCodes({ db: tx }, userId);
  });
}

/**
 * Removes the one-time codes and recovery codes of a user; false when there were none. The user's sessions lose the second
 * factor, unless a passkey is left.
 */
export async function removeOneTimeCodes(tx: Tx, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom("oneTimeCodes").where("userId", "=", userId).executeTakeFirstOrThrow();
  await tx.deleteFrom("recoveryCodes").where("userId", "=", userId).execute();
  await endUnusedSecondFactor(tx, userId);
  return numDeletedRows > 0n;
}

function oneTimeCodesAreOff(): Problem {
  return new Problem("conflict", "One-time codes are off.");
}

/**
 * Uses a code of the app, or a recovery code.
 * Guarantee: of simultaneous uses of one code, one succeeds.
 * Throws "unauthorized" for a wrong or used code, "rate_limit_exceeded" after too many.
 */
export async function useOneTimeCode(deps: Deps, userId: string, code: string): Promise<void> {
  const isAccepted = await deps.limits.check({ address: undefined, account: userId }, async () => {
    const recovery = code.replaceAll(/[\s-]/g, "").toUpperCase();
    return /^[A-Z2-7]{16}$/.test(recovery)
      ? await useRecoveryCode(deps, userId, recovery)
      : await useAppCode(deps, userId, code);
  });
  if (!isAccepted) throw new Problem("unauthorized", "This code is wrong, or has already been used.");
}

async function useRecoveryCode({ db }: Deps, userId: string, code: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("recoveryCodes")
    .where("userId", "=", userId)
    .where("hash", "=", sha256(code))
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

async function useAppCode({ db, seal, now }: Deps, userId: string, code: string): Promise<boolean> {
  const row = await db
    .selectFrom("oneTimeCodes")
    .select("sealedSecret")
    .where("userId", "=", userId)
    .where("confirmedAt", "is not", null)
    .executeTakeFirst();
  if (row === undefined) return false;
  const step = stepOf(openSecret(seal, { userId, ...row }), code, now());
  if (step === undefined) return false;
  const { numUpdatedRows } = await db
    .updateTable("oneTimeCodes")
    .set({ lastStep: step })
    .where("userId", "=", userId)
    .where("sealedSecret", "=", row.sealedSecret)
    .where("lastStep", "<", step)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

function openSecret(seal: Seal, { userId, sealedSecret }: { userId: string; sealedSecret: string }): Secret {
  const text = seal.open(sealedSecret, userId);
  if (text !== undefined) return Secret.fromBase32(text);
  throw new Problem("unavailable", "One-time codes cannot be checked. Use a recovery code, or ask the operator.", {
    cause: new Error("The secret of a user's one-time codes was encrypted with another WAYPOST_SECRET."),
  });
}

/** The time step that the code belongs to; undefined for a wrong code. */
function stepOf(secret: Secret, code: string, now: number): number | undefined {
  const token = code.replaceAll(/\s/g, "");
  if (!/^\d{6}$/.test(token)) return undefined;
  const delta = totpOf(secret, "", "").validate({ token, timestamp: now, window: earlyOrLateStepsMax });
  return delta === null ? undefined : Math.floor(now / (stepSeconds * secondMs)) + delta;
}

/** SHA-1, six digits and 30 seconds are all that every app supports. */
function totpOf(secret: Secret, issuer: string, label: string): TOTP {
  return new TOTP({ secret, issuer, label, algorithm: "SHA1", digits: 6, period: stepSeconds });
}
