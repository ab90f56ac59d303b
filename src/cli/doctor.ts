import { accessSync, constants, existsSync, readdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { callServer } from "../admin/socket.ts";
import { openGeo } from "../clicks/geo.ts";
import { measure } from "../clicks/spool.ts";
import { segmentBases, segmentFileName } from "../clicks/spool-format.ts";
import { type Config, ConfigError, dataPaths, readConfig } from "../config.ts";
import { isReachable, openDatabase } from "../database/database.ts";
import { openResolver } from "../domains/dns.ts";

type Finding = { check: string; ok: boolean; detail: string };

/** Too little for a busy day of clicks. */
const freeBytesMin = 1024 ** 3;
const lookupBudgetMs = 3_000;
/** A name that every resolver of the world knows. */
const wellKnownName = "example.com";

/** Checks what Waypost needs and prints one line for each; true when nothing is wrong. */
export async function doctor(asJson: boolean): Promise<boolean> {
  const findings = await examine();
  const text = asJson
    ? JSON.stringify(findings)
    : findings.map(({ check, ok, detail }) => `${ok ? "ok  " : "FAIL"}  ${check}: ${detail}`).join("\n");
  process.stdout.write(`${text}\n`);
  return findings.every(({ ok }) => ok);
}

async function examine(): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [{ check: "options", ok: false, detail: error.message }];
  }
  return [
    { check: "options", ok: true, detail: "all can be read" },
    checkFolder(config),
    await checkServer(config),
    await checkDatabase(config),
    checkSpool(config),
    await checkGeo(config),
    await checkResolvers(config),
  ];
}

function checkFolder(config: Config): Finding {
  const { data } = dataPaths(config);
  const check = "data folder";
  if (!existsSync(data)) return { check, ok: true, detail: `${data} will be made at the first start` };
  try {
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return {
      check,
      ok: false,
      detail: `${data} cannot be written to; give its ownership to the user that runs Waypost`,
    };
  }
  const { bavail, bsize } = statfsSync(data);
  const free = bavail * bsize;
  const detail = `${data}, ${Math.floor(free / 1024 ** 2)} MiB free`;
  return { check, ok: free >= freeBytesMin, detail: free >= freeBytesMin ? detail : `${detail}; make room for clicks` };
}

async function checkServer(config: Config): Promise<Finding> {
  const called = await callServer(dataPaths(config).adminSocket, "ping", {});
  const detail = called.kind === "result" ? "running on this data folder" : "none runs on this data folder";
  return { check: "server", ok: true, detail };
}

async function checkDatabase(config: Config): Promise<Finding> {
  const check = "database";
  const url = config.WAYPOST_DATABASE_URL;
  const { sqlite } = dataPaths(config);
  if (url === undefined && !existsSync(sqlite)) return { check, ok: true, detail: "SQLite, made at the first start" };
  try {
    const database = await openDatabase(
      url === undefined ? { kind: "sqlite", path: sqlite } : { kind: "postgres", url },
    );
    const ok = await isReachable(database.db);
    await database.close();
    return { check, ok, detail: `${database.engine}, ${ok ? "answers" : "does not answer"}` };
  } catch (error) {
    return { check, ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

function checkSpool(config: Config): Finding {
  const { spool } = dataPaths(config);
  const check = "spool";
  if (!existsSync(spool)) return { check, ok: true, detail: "made at the first start" };
  const bases = segmentBases(readdirSync(spool));
  let clicks = 0;
  for (const [index, base] of bases.entries()) {
    const { framesEnd, size, clicks: held } = measure(join(spool, segmentFileName(base)));
    clicks += held;
    const isNewest = index === bases.length - 1;
    if (framesEnd < size && !isNewest) {
      return { check, ok: false, detail: `${segmentFileName(base)} is damaged at byte ${framesEnd}` };
    }
  }
  return { check, ok: true, detail: `${bases.length} segments, ${clicks} clicks held` };
}

async function checkGeo(config: Config): Promise<Finding> {
  const check = "places";
  try {
    const { country } = (await openGeo(config.WAYPOST_GEO_DATABASE)).locate("8.8.8.8");
    return {
      check,
      ok: country !== "",
      detail: country === "" ? "the database knows no places" : "the database answers",
    };
  } catch (error) {
    return { check, ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

async function checkResolvers(config: Config): Promise<Finding> {
  const resolver = openResolver({ servers: config.WAYPOST_RESOLVERS, budgetMs: lookupBudgetMs });
  const answer = await resolver.lookup(wellKnownName, "A");
  const check = "DNS";
  if (answer.kind !== "unreachable") return { check, ok: true, detail: `${answer.server} answers` };
  return {
    check,
    ok: false,
    detail: `no resolver answers (${answer.reason}); domains cannot be verified. Set WAYPOST_RESOLVERS, for instance to 1.1.1.1`,
  };
}
