import { existsSync } from "node:fs";
import type { CheckResult } from "../admin/check-result.ts";
import { storeFailure } from "../admin/operations.ts";
import { diskFailure } from "../base/disk-failure.ts";
import { clickHouseAdvice } from "../base/refusing-click-house.ts";
import { clickStoreName, clickStoreSettings } from "../click-store-location.ts";
import { type Pipeline, startPipeline } from "../clicks/pipeline.ts";
import type { Config } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import type { Db } from "../database/database.ts";
import { knownStoreId } from "../database/known-store.ts";
import { openServiceDatabase } from "../open-service-database.ts";
import { foreignStoreError } from "../spools/foreign-store.ts";
import { spoolFolders } from "../spools/spool-folders.ts";
import { areAllClicksSpooled, lossesOf, type StoreLoss } from "../spools/store-losses.ts";
import { withDatabaseLock } from "./lock-database.ts";
import { storeAdvice } from "./store-advice.ts";

const check = "clicks";

/**
 * The status of the click store: why it does not answer ("" when it does), and losses of stored clicks; or why a start
 * refuses it.
 */
export type StoreStatus = { failure: string; losses: readonly StoreLoss[] } | { refusal: string };

/** Reports on the click store. The status is undefined when the first click will create the store. */
export function checkStore(config: Config, status: StoreStatus | undefined): CheckResult {
  if (status === undefined) return { check, ok: true, detail: "will be created with the first click" };
  if ("refusal" in status) return { check, ok: false, detail: status.refusal };
  const clicks = clickStoreName(config);
  const { failure, losses } = status;
  if (failure !== "") {
    const [firstLine = failure] = failure.split("\n");
    const reason = diskFailure(firstLine)?.reason ?? firstLine.replace(/\.? *$/, "");
    const effect = "Links redirect, and clicks wait in the spool while it has room.";
    const advice = config.WAYPOST_CLICKS_URL === undefined ? storeAdvice(firstLine) : clickHouseAdvice;
    return { check, ok: false, detail: `${clicks} cannot be used (${reason}). ${effect} ${advice}` };
  }
  const [loss] = losses;
  if (loss === undefined) return { check, ok: true, detail: "the store answers" };
  const found = `found ${new Date(loss.foundAt).toISOString()}`;
  return { check, ok: false, detail: `${clicks} ${describeLosses(losses)} (${found}). ${storeLossAdvice}` };
}

const storeLossAdvice =
  "Links redirect, and new clicks are stored. Stop Waypost and restore it from a backup, or accept the loss with: waypost clicks accept-loss";

function describeLosses(losses: readonly StoreLoss[]): string {
  const older = losses.find(({ kind }) => kind === "older");
  if (losses.some(({ kind }) => kind === "replaced")) {
    return "is missing or was replaced: the stored clicks are missing";
  }
  return `is an older copy: the clicks in ${older?.bytes ?? 0} deleted bytes of the spool are missing`;
}

/** Reads the status of the store without a server; undefined when the first click will create it without a loss. */
export async function storeStatusWithoutServer(config: Config): Promise<StoreStatus | undefined> {
  const { clicks, sqlite } = dataPaths(config);
  const isThere = config.WAYPOST_CLICKS_URL !== undefined || existsSync(clicks);
  const isNew = config.WAYPOST_DATABASE_URL === undefined && !existsSync(sqlite);
  if (isNew && !isThere) return undefined;
  const pipeline = startPipeline(clickStoreSettings(config));
  try {
    if (!isThere) return await withDatabase(config, (db) => readStatus(config, db)).catch(() => undefined);
    const failure = await storeFailure(pipeline);
    const answer: StoreStatus = { failure, losses: [] };
    if (failure !== "" || isNew) return answer;
    return await withDatabase(config, (db) => readStatus(config, db, pipeline)).catch(() => answer);
  } finally {
    await pipeline.close();
  }
}

/** Compares the store, undefined when it is absent, with what the database knows of it. */
async function readStatus(config: Config, db: Db, pipeline?: Pipeline): Promise<StoreStatus | undefined> {
  const known = await knownStoreId(db);
  const isSpooled = await areAllClicksSpooled(db, spoolFolders(config));
  const replaced: StoreStatus = { failure: "", losses: [{ kind: "replaced", bytes: 0, foundAt: Date.now() }] };
  if (pipeline === undefined) return known === undefined || isSpooled ? undefined : replaced;
  const error = await foreignStoreError(config, { db, pipeline });
  if (error !== undefined) return { refusal: error.message };
  const storeId = await pipeline.storeId();
  const losses = await lossesOf(db, storeId);
  const isExpected = losses.length > 0 || known === undefined || known === storeId || isSpooled;
  return isExpected ? { failure: "", losses } : replaced;
}

/** The caller ignores failures, because the check of the database reports them. */
async function withDatabase<Result>(config: Config, use: (db: Db) => Promise<Result>): Promise<Result> {
  return await withDatabaseLock(config, async () => {
    const database = await openServiceDatabase(config);
    try {
      return await use(database.db);
    } finally {
      await database.close();
    }
  });
}
