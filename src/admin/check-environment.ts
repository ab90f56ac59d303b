import { existsSync } from "node:fs";
import { backupPlaceProblem } from "../backup/backup-folder.ts";
import { accessLogProblem } from "../base/access-log.ts";
import { messageOf } from "../base/message-of.ts";
import { missingHttpsPort } from "../certificates/missing-https-port.ts";
import { missingTerms } from "../certificates/missing-terms.ts";
import { openGeo } from "../clicks/geo.ts";
import type { Config } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import { diskSpaceOf, readDisk } from "../disk-watch.ts";
import { openResolver } from "../domains/dns.ts";
import { mailServerFailure } from "../mail/mailer.ts";
import type { CheckResult } from "./check-result.ts";

const lookupBudgetMs = 3_000;
/** A name that every public resolver answers. */
const wellKnownName = "example.com";

/** Checks what the options refer to: the store's limit, the country database, resolvers and the mail server. */
export async function checkEnvironment(config: Config): Promise<CheckResult[]> {
  return [
    ...(await checkStoreSize(config)),
    ...checkTerms(config),
    ...checkHttpsPort(config),
    ...checkBackupPlace(config),
    ...checkAccessLog(config),
    await checkGeo(config),
    await checkResolvers(config),
    await checkMail(config),
  ];
}

/** Returns no result without a limit. */
async function checkStoreSize(config: Config): Promise<CheckResult[]> {
  const storeBytesMax = config.WAYPOST_STORE_MAX_BYTES;
  if (storeBytesMax === 0 || !existsSync(dataPaths(config).data)) return [];
  const { storeBytes } = await readDisk(config);
  const ok = diskSpaceOf({ freeBytes: Number.POSITIVE_INFINITY, storeBytes }, storeBytesMax) === "ample";
  const detail = `${storeBytes} bytes of stored clicks; the limit is ${storeBytesMax}`;
  const advice =
    "above the limit, long texts of visitors are cut; raise WAYPOST_STORE_MAX_BYTES, or keep clicks for fewer days";
  return [{ check: "click store size", ok, detail: ok ? detail : `${detail}, and ${advice}` }];
}

/** Returns no result unless the HTTPS port stays without certificates. */
function checkTerms(config: Config): CheckResult[] {
  const detail = missingTerms(config);
  return detail === undefined ? [] : [{ check: "terms", ok: false, detail }];
}

/** Returns no result unless certificates are ordered that no port presents. */
function checkHttpsPort(config: Config): CheckResult[] {
  const detail = missingHttpsPort(config);
  return detail === undefined ? [] : [{ check: "HTTPS port", ok: true, warning: true, detail }];
}

/** Returns no result unless scheduled backups cannot be written. */
function checkBackupPlace({ WAYPOST_BACKUP_TO: place }: Config): CheckResult[] {
  const detail = backupPlaceProblem(place);
  return detail === undefined ? [] : [{ check: "backup folder", ok: false, detail }];
}

/** Returns no result unless the access log cannot be written. */
function checkAccessLog({ WAYPOST_ACCESS_LOG: target }: Config): CheckResult[] {
  const detail = accessLogProblem(target);
  return detail === undefined ? [] : [{ check: "access log", ok: false, detail }];
}

async function checkGeo(config: Config): Promise<CheckResult> {
  const check = "country database";
  try {
    const { country } = (await openGeo(config.WAYPOST_GEO_DATABASE)).locate("8.8.8.8");
    return {
      check,
      ok: country !== "",
      detail: country === "" ? "the database contains no countries" : "the database answers",
    };
  } catch (error) {
    return { check, ok: false, detail: messageOf(error) };
  }
}

async function checkResolvers(config: Config): Promise<CheckResult> {
  const resolver = openResolver({ servers: config.WAYPOST_RESOLVERS, budgetMs: lookupBudgetMs });
  const answer = await resolver.lookup(wellKnownName, "A");
  const check = "DNS";
  if (answer.kind !== "unreachable") return { check, ok: true, detail: `${answer.server} answers` };
  return {
    check,
    ok: false,
    detail: `no resolver answers (${answer.reason}); domains cannot be verified. Set WAYPOST_RESOLVERS, such as to 1.1.1.1`,
  };
}

async function checkMail({ WAYPOST_SMTP_URL: url, WAYPOST_SIGN_UP: signUp }: Config): Promise<CheckResult> {
  const check = "mail";
  if (url === undefined && signUp === "open") {
    const detail = "WAYPOST_SIGN_UP=open needs WAYPOST_SMTP_URL; until then, accounts are created by invitation only";
    return { check, ok: false, detail };
  }
  if (url === undefined) return { check, ok: true, detail: "WAYPOST_SMTP_URL is not set; no e-mail is sent" };
  const failure = await mailServerFailure(url);
  if (failure === undefined) return { check, ok: true, detail: `${url.host} answers` };
  return { check, ok: false, detail: `${url.host} cannot be used (${failure.message}); see WAYPOST_SMTP_URL` };
}
