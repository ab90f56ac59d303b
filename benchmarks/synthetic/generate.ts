import { setImmediate as nextTick } from "node:timers/promises";
import { type BootstrapResult, bootstrap, firstWorkspaceId } from "../../src/access/bootstrap.ts";
import { dayMs, isoTime, secondMs } from "../../src/base/time.ts";
import { printFirstStartBanner } from "../../src/cli/banner.ts";
import { CliError } from "../../src/cli/cli-error.ts";
import { folderInUseError, lockDataFolderAsOwner } from "../../src/cli/data-folder.ts";
import { explainFailure } from "../../src/cli/explain-failure.ts";
import { withDatabaseLock } from "../../src/cli/lock-database.ts";
import { Progress } from "../../src/cli/progress.ts";
import type { ClickStore } from "../../src/clicks/store.ts";
import { openDuckDbStore } from "../../src/clicks/stores/duckdb/duckdb-store.ts";
import { allPartitionsAt, tallyByPartition } from "../../src/clicks/tally.ts";
import { type Config, readConfig } from "../../src/config.ts";
import { dataPaths } from "../../src/data-paths.ts";
import type { Database } from "../../src/database/database.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { databaseLocation } from "../../src/database-location.ts";
import { instanceSlug, rootKey } from "../../src/domains/domain.ts";
import { ensureInstanceDomain } from "../../src/domains/instance-domain.ts";
import { applyTally } from "../../src/links/counters.ts";
import { insertLinks } from "./insert-links.ts";
import { insertWorkspaces } from "./insert-workspaces.ts";
import { linkProfiles } from "./link-profiles.ts";
import { SeededRandom } from "./seeded-random.ts";
import { daysTouched, Traffic } from "./traffic.ts";

/** The amount of data to generate. The period ends now. */
export type GenerateOptions = { clicks: number; links: number; workspaces: number; days: number; seed: number };

/** Both cores of a small machine, because no server runs beside the generator. */
const storeThreads = 2;
/** Each batch costs the store some milliseconds regardless of its size. */
const clicksPerBatch = 100_000;

type Deps = { config: Config; database: Database; store: ClickStore; now: number };

/**
 * Fills an empty data folder with the workspaces, links and clicks of a busy instance, and prints a summary.
 * Throws for a folder that is in use or contains links or clicks, and for more workspaces than links.
 */
export async function generate(options: GenerateOptions): Promise<void> {
  if (options.workspaces > options.links) {
    throw new CliError(`--workspaces: ${options.workspaces} need as many --links at least, not ${options.links}.`);
  }
  const config = readConfig();
  const held = lockDataFolderAsOwner(config);
  if (held === undefined) throw folderInUseError(config);
  try {
    await withDatabaseLock(config, () => withStores(config, (deps) => fill(deps, options)));
  } catch (error) {
    throw explainFailure(error, config);
  } finally {
    held.release();
  }
}

async function withStores(config: Config, use: (deps: Deps) => Promise<void>): Promise<void> {
  const database = await openDatabase(databaseLocation(config));
  try {
    const store = await openDuckDbStore({ path: dataPaths(config).clicks, threads: storeThreads });
    try {
      await use({ config, database, store, now: Date.now() });
    } finally {
      await store.close();
    }
  } finally {
    await database.close();
  }
}

async function fill(deps: Deps, options: GenerateOptions): Promise<void> {
  await refuseUsedFolder(deps);
  const startedAt = performance.now();
  const { config, database, now } = deps;
  const { clicks, links: count, workspaces, days, seed } = options;
  const from = now - days * dayMs;
  const random = new SeededRandom(seed);
  const profiles = linkProfiles({ links: count, workspaces, days: daysTouched(from, now) }, random);
  const { userId, first, ...firstWorkspace } = await bootstrapFirst(deps);

  const linkCounts = new Array<number>(workspaces).fill(0);
  for (const workspace of profiles.workspaces) linkCounts[workspace] = (linkCounts[workspace] ?? 0) + 1;
  const created = await insertWorkspaces(database.db, { userId, ...firstWorkspace }, linkCounts, from);
  const linksProgress = new Progress("links", count);
  const linkOptions = { userId, from, progress: (done: number) => linksProgress.advance(done) };
  const links = await insertLinks(database.db, created, profiles, linkOptions, random);

  const spoolId = Array.from({ length: 4 }, () => random.word().toString(16).padStart(8, "0")).join("");
  const traffic = new Traffic({ clicks, from, to: now, seed, spoolId, links, profiles });
  const clicksStartedAt = performance.now();
  const end = await storeClicks(deps, traffic, clicks);
  const clickSeconds = (performance.now() - clicksStartedAt) / secondMs;
  await countClicks(database, traffic, { spoolId, end, linkIds: links.map(({ linkId }) => linkId) });

  const seconds = (performance.now() - startedAt) / secondMs;
  printSummary(traffic, options, {
    from,
    to: now,
    seconds,
    clickSeconds,
    workspaceIds: links.map((link) => link.workspaceId),
  });
  printFirstStartBanner(config, first);
}

async function refuseUsedFolder({ config, database, store, now }: Deps): Promise<void> {
  const { db } = database;
  const link = await db.selectFrom("links").select("id").where("key", "<>", rootKey).limit(1).executeTakeFirst();
  if (link !== undefined) throw alreadyUsed(config, "links");
  for (const { id } of await db.selectFrom("workspaces").select("id").execute()) {
    if ((await store.firstClick({ workspaceId: id, before: now })) !== undefined) throw alreadyUsed(config, "clicks");
  }
}

function alreadyUsed(config: Config, what: "links" | "clicks"): CliError {
  const { data } = dataPaths(config);
  const where =
    config.WAYPOST_DATABASE_URL === undefined || what === "clicks"
      ? `The data folder ${data}`
      : "The database of WAYPOST_DATABASE_URL";
  return new CliError(
    `${where} holds ${what} already, and synthetic clicks could not be told from real ones. ` +
      "Set WAYPOST_DATA to an empty folder, and leave WAYPOST_DATABASE_URL out or set it to an empty database.",
  );
}

async function bootstrapFirst({ config, database, now }: Deps) {
  const { db } = database;
  const first: BootstrapResult | undefined = await bootstrap(
    { db, now: () => now },
    {
      email: config.WAYPOST_BOOTSTRAP_EMAIL,
      apiKey: config.WAYPOST_BOOTSTRAP_API_KEY,
      password: config.WAYPOST_BOOTSTRAP_PASSWORD,
      workspace: config.WAYPOST_BOOTSTRAP_WORKSPACE,
    },
  );
  const workspaceId = await firstWorkspaceId(db);
  const { userId } = await db
    .selectFrom("members")
    .select("userId")
    .where("workspaceId", "=", workspaceId)
    .where("role", "=", "owner")
    .limit(1)
    .executeTakeFirstOrThrow();
  const { id, slug } = await ensureInstanceDomain(db, workspaceId, instanceSlug(config.WAYPOST_URL), now);
  return { userId, workspaceId, instanceDomain: { domainId: id, domain: slug }, first };
}

/** Generates clicks while the store inserts the previous batch. Returns their end position in the spool. */
async function storeClicks({ store }: Deps, traffic: Traffic, clicks: number): Promise<number> {
  const progress = new Progress("clicks", clicks);
  let end = 0;
  let stored = 0;
  let storing = Promise.resolve();
  for (const batchOrPause of traffic.batchesWithPauses(clicksPerBatch)) {
    await nextTick();
    if (batchOrPause === undefined) continue;
    const { batch, rows } = batchOrPause;
    await storing;
    storing = store.insert(batch, rows).then(() => {
      stored += rows.length;
      progress.advance(stored);
    });
    // Awaited above or below, which throws the error.
    storing.catch(() => {});
    end = batch.to;
  }
  await storing;
  return end;
}

/** Updates the counters of links, as their spool reader would. */
async function countClicks(
  database: Database,
  { clicks, lastClicked }: Traffic,
  { spoolId, end, linkIds }: { spoolId: string; end: number; linkIds: readonly string[] },
): Promise<void> {
  const links = linkIds.flatMap((linkId, index) => {
    const count = clicks[index] ?? 0;
    return count === 0 ? [] : [{ linkId, clicks: count, lastClicked: lastClicked[index] ?? 0 }];
  });
  await applyTally(database, spoolId, tallyByPartition(allPartitionsAt(0), end, links));
}

type Summary = { from: number; to: number; seconds: number; clickSeconds: number; workspaceIds: readonly number[] };

function printSummary(traffic: Traffic, options: GenerateOptions, summary: Summary): void {
  const workspaceClicks = new Map<number, number>();
  for (const [index, workspaceId] of summary.workspaceIds.entries()) {
    workspaceClicks.set(workspaceId, (workspaceClicks.get(workspaceId) ?? 0) + (traffic.clicks[index] ?? 0));
  }
  const sizes = [...workspaceClicks.values()].sort((one, other) => other - one);
  const people = sizes.reduce((sum, size) => sum + size, 0);
  const largestLink = traffic.clicks.reduce((before, count) => Math.max(before, count), 0);
  const number = (value: number) => Math.round(value).toLocaleString("en");
  process.stdout.write(
    `Created ${number(options.clicks)} clicks on ${number(options.links)} links of ${number(options.workspaces)} workspaces, ` +
      `from ${isoTime(summary.from)} to ${isoTime(summary.to)}, in ${number(summary.seconds)} s ` +
      `(${number(options.clicks / summary.clickSeconds)} clicks/s).\n` +
      `People made ${number(people)} of them, and bots ${number(options.clicks - people)}. ` +
      `The largest workspace has ${number(sizes[0] ?? 0)} of people's clicks, ` +
      `and the most clicked link has ${number(largestLink)}.\n`,
  );
}
