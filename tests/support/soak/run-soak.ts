/**
 * Runs a soak test: visitors, members, readers and backups at once, disturbances one after another, and all checks.
 *
 * 1. Each actor has its own random numbers, derived from the seed, so that a seed repeats each actor's plan. The times
 *    at which the plans meet depend on the machine.
 * 2. Members change things one call after another, so the model of their workspace is exact between two calls.
 * 3. It ends what it started and removes its folder, also after a failure.
 */
import { type Random, seededRandom } from "../clicks.ts";
import { ownerKey } from "../server.ts";
import { addVerifiedDomain } from "../short-domains.ts";
import { newTenant } from "../tenants.ts";
import { compareObjects } from "./compare-objects.ts";
import { disturb, isPossible, planDisturbances } from "./disturbances.ts";
import { liveAndErase } from "./ending-workspaces.ts";
import { finishSoak, type SoakMember } from "./finish-soak.ts";
import { SoakEditor } from "./soak-editor.ts";
import { SoakModel } from "./soak-model.ts";
import { backUp, exportClicks, followLive, readReport, SoakBrowser } from "./soak-readers.ts";
import { SoakRecord } from "./soak-record.ts";
import { SoakResources } from "./soak-resources.ts";
import { SoakVisitors } from "./soak-visitors.ts";
import { SoakWorld } from "./soak-world.ts";

/** What a soak test does. Without `withBrowser`, it opens no pages of the dashboard. */
type SoakOptions = {
  minutes: number;
  seed: number;
  visitsPerSecond: number;
  withBrowser: boolean;
  keep: boolean;
  log(line: string): void;
  /** Ends the test early, with all checks. */
  signal?: AbortSignal;
};

const tenantsCount = 2;
const firstLinks = 12;
const minuteMs = 60_000;
/** Pauses of the actors. */
const editPauseMs = 200;
const reportPauseMs = 1_000;
const exportPauseMs = 20_000;
const livePauseMs = 2_000;
const liveForMs = 10_000;
const backupPauseMs = 30_000;
const pagePauseMs = 5_000;
const erasurePauseMs = 10_000;
const comparePauseMs = 20_000;
const samplePauseMs = 2_000;
const logPauseMs = 250;

/** Runs the test, and returns its record. */
export async function runSoak(options: SoakOptions): Promise<SoakRecord> {
  const record = new SoakRecord(options.log);
  const world = await SoakWorld.open(record);
  let browser: SoakBrowser | undefined;
  try {
    browser = options.withBrowser ? await SoakBrowser.open(world) : undefined;
    await runOn(world, options, browser);
  } catch (error) {
    record.violate("the test runs to its end", error instanceof Error ? (error.stack ?? String(error)) : String(error));
  } finally {
    await browser?.close();
    await world.close({ keep: options.keep });
  }
  return record;
}

async function runOn(world: SoakWorld, options: SoakOptions, browser: SoakBrowser | undefined): Promise<void> {
  const { record } = world;
  const randomOf = randomsOf(options.seed);
  const model = new SoakModel();
  const members = await openMembers(world, model, randomOf);
  for (const { editor } of members) {
    for (let count = 0; count < firstLinks; count++) await editor.createLink();
  }
  const visitors = new SoakVisitors(world, model, { random: randomOf("visitors"), perSecond: options.visitsPerSecond });
  const resources = new SoakResources();
  const deadline = performance.now() + options.minutes * minuteMs;
  const isRunning = () => performance.now() < deadline && options.signal?.aborted !== true;
  visitors.start();

  const logger = new AbortController();
  const logging = everySoOften(
    () => !logger.signal.aborted,
    logPauseMs,
    async () => world.readLog(),
  );
  const actors = [
    ...members.map((member) => edit(world, member, isRunning)),
    ...readersOf(world, model, members, { isRunning, randomOf }),
    everySoOften(isRunning, samplePauseMs, async () => resources.sample(world)),
    everySoOften(isRunning, minuteMs, async () => record.note(progressOf(world, resources))),
    disturbOften(world, randomOf("disturbances"), isRunning),
  ];
  if (browser !== undefined) {
    const random = randomOf("browser");
    actors.push(everySoOften(isRunning, pagePauseMs, async () => await browser.visit(random)));
  }
  await Promise.all(actors);
  await visitors.stop();
  await world.recovered();
  record.begin("the checks at the end");
  record.note(`${progressOf(world, resources)}`);
  await finishSoak(world, model, members);
  logger.abort();
  await logging;
  resources.check(record);
}

/** The owner of the first workspace, on the instance's domain, and tenants with verified domains. */
async function openMembers(
  world: SoakWorld,
  model: SoakModel,
  randomOf: (name: string) => Random,
): Promise<SoakMember[]> {
  const owner = { workspaceId: 1, apiKey: ownerKey };
  const members = [{ tenant: owner, host: "localhost" }];
  for (let count = 0; count < tenantsCount; count++) {
    const tenant = await newTenant(world.server);
    const { slug } = await addVerifiedDomain(world.server, world.dns, {}, { key: tenant.apiKey });
    members.push({ tenant, host: slug });
  }
  return members.map(({ tenant, host }) => {
    const random = randomOf(`editor ${tenant.workspaceId}`);
    return { editor: new SoakEditor(world, model, { tenant, host, random }), apiKey: tenant.apiKey };
  });
}

/** Changes things, and compares all objects now and then. */
async function edit(world: SoakWorld, { editor }: SoakMember, isRunning: () => boolean): Promise<void> {
  let compareAt = performance.now() + comparePauseMs;
  await everySoOften(isRunning, editPauseMs, async () => {
    await editor.step();
    if (performance.now() < compareAt) return;
    await compareObjects(editor, world.record);
    compareAt = performance.now() + comparePauseMs;
  });
}

function readersOf(
  world: SoakWorld,
  model: SoakModel,
  members: readonly SoakMember[],
  { isRunning, randomOf }: { isRunning: () => boolean; randomOf: (name: string) => Random },
): Promise<void>[] {
  let turn = 0;
  const next = (): SoakMember | undefined => members[turn++ % members.length];
  const random = randomOf("readers");
  const erasing = randomOf("erasures");
  const each = (pauseMs: number, read: (member: SoakMember) => Promise<void>) =>
    everySoOften(isRunning, pauseMs, async () => {
      const member = next();
      if (member !== undefined && world.url !== undefined) await read(member);
    });
  let [backups, erasures] = [0, 0];
  return [
    each(reportPauseMs, ({ editor }) => readReport(editor, world, random)),
    each(exportPauseMs, ({ editor, apiKey }) =>
      exportClicks(world, model, { workspaceId: editor.workspaceId, apiKey }),
    ),
    each(livePauseMs, ({ editor, apiKey }) => followLive(world, editor, apiKey, liveForMs)),
    each(backupPauseMs, async () => void (await backUp(world, `backup-${++backups % 2}`))),
    everySoOften(
      isRunning,
      erasurePauseMs,
      async () => await liveAndErase(world, model, { ownerKey, number: ++erasures, random: erasing }),
    ),
  ];
}

async function disturbOften(world: SoakWorld, random: Random, isRunning: () => boolean): Promise<void> {
  for (const { step, name, pauseMs } of planDisturbances(random)) {
    await Bun.sleep(pauseMs);
    if (!isRunning()) return;
    if (!isPossible(world, name)) continue;
    world.record.begin(`step ${step} (${name})`);
    await disturb(world, name, random);
  }
}

async function everySoOften(isRunning: () => boolean, pauseMs: number, run: () => Promise<void>): Promise<void> {
  while (isRunning()) {
    await run();
    await Bun.sleep(pauseMs);
  }
}

function progressOf({ record }: SoakWorld, { samples }: SoakResources): string {
  const last = samples.at(-1);
  const disturbances = record.rows().filter(([name]) => name.startsWith("disturbance: "));
  const count = disturbances.reduce((sum, [, times]) => sum + times, 0);
  return (
    `${record.of("visits")} visits, ${record.of("calls")} calls, ${count} disturbances, ` +
    `${record.violationsTotal} violations, ${Math.round(last?.memoryMiB ?? 0)} MiB, ${last?.files ?? 0} open files`
  );
}

/** Random numbers for each actor, by its name. */
function randomsOf(seed: number): (name: string) => Random {
  return (name) => seededRandom((seed ^ Number(Bun.hash.crc32(name))) | 0);
}
