/** The checks at the end of a soak test, on the running server, on its files, and on a restored backup. */
import { Database as SqliteFile } from "bun:sqlite";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { z } from "zod";
import { readLosses } from "../../../src/clicks/lost-clicks.ts";
import { waypost } from "../command.ts";
import { filesWith, waitUntilDrained } from "../counted-once.ts";
import { eventually, programCommand, startOn, type TestService } from "../server.ts";
import { compareClicks, readReports, type SoakedClick } from "./compare-clicks.ts";
import { compareHistory, compareObjects } from "./compare-objects.ts";
import type { SoakEditor } from "./soak-editor.ts";
import type { SoakModel } from "./soak-model.ts";
import { backUp } from "./soak-readers.ts";
import type { SoakRecord } from "./soak-record.ts";
import { frequentAddress } from "./soak-visitors.ts";
import type { SoakWorld } from "./soak-world.ts";
import { parseDestination } from "./soaked-link.ts";

/** Purges and erasures end some minutes after their calls, on the server's clock. */
const settleShiftMs = 10 * 60_000;
const settleMsMax = 180_000;

/** A member who edited, with the key. */
export type SoakMember = { editor: SoakEditor; apiKey: string };

/** Runs all checks, when nobody visits or changes anything any more. Stops the server. */
export async function finishSoak(world: SoakWorld, model: SoakModel, members: readonly SoakMember[]): Promise<void> {
  const { record } = world;
  const editors = members.map(({ editor }) => editor);
  world.enlargeDisk();
  const { clock } = world;
  if (clock !== undefined) {
    await world.disturb("clock forward", async () => clock.shiftTo(clock.shiftMs() + settleShiftMs));
  }
  await waitUntilSettled(world);
  for (const editor of editors) await compareObjects(editor, record);
  const reported = [];
  for (const editor of editors) reported.push(await readReports(editor, record));
  await runCommands(world);
  const file = await backUp(world, "last");
  const expected = await answersOf(world.server, members);
  record.requireEqual("a stop ends with exit code 0", await world.end("SIGTERM"), 0);

  const dropped = { clicks: lostClicks(world) };
  record.count("clicks counted as dropped", dropped.clicks);
  compareClicks(await storedClicks(world.data), { model, reported, dropped, record });
  compareHistory(world.data, editors, record);
  compareFiles(world);
  if (file !== undefined) await compareRestored(world, { file, members, expected });
}

/** Resolves when both readers are at the end of the spools, and no purge or erasure is left. */
async function waitUntilSettled(world: SoakWorld): Promise<void> {
  await waitUntilDrained(world.server);
  const file = new SqliteFile(join(world.data, "waypost.sqlite"), { readonly: true });
  const left = file.query<{ left: number }, []>(
    `SELECT (SELECT count(*) FROM purges) + (SELECT count(*) FROM erasures) AS "left"`,
  );
  await eventually(
    async () => left.get()?.left,
    (rows) => rows === 0,
    settleMsMax,
  ).catch((error: unknown) => world.record.violate("purges and erasures end", String(error)));
  file.close();
}

/** `clicks verify` and `doctor` must find nothing, once the operator has accepted the lost clicks of full disks. */
async function runCommands(world: SoakWorld): Promise<void> {
  const verified = await waypost(["clicks", "verify"], world);
  if (verified.code !== 0) world.record.violate("clicks verify ends clean", verified);
  const doctor = await waypost(["doctor", "--json"], world);
  const findings = z
    .array(z.object({ check: z.string(), ok: z.boolean(), detail: z.string() }))
    .parse(JSON.parse(doctor.stdout));
  const failed = findings.filter(({ check, ok }) => !ok && !(check === "lost clicks" && lostClicks(world) > 0));
  if (failed.length > 0) world.record.violate("doctor ends clean", failed);
}

/** The clicks that the server has recorded as dropped; damaged bytes are a violation. */
function lostClicks({ data, record }: SoakWorld): number {
  const spool = join(data, "spool");
  const folders = [
    spool,
    ...readdirSync(spool)
      .filter((name) => /^worker-\d+$/.test(name))
      .map((name) => join(spool, name)),
  ];
  const losses = folders.map((folder) => readLosses(folder));
  const damaged = losses.flatMap((loss) => loss.damaged ?? []);
  if (damaged.length > 0) record.violate("no part of a spool is damaged", damaged);
  return losses.reduce((sum, { dropped }) => sum + (dropped?.clicks ?? 0), 0);
}

async function storedClicks(data: string): Promise<SoakedClick[]> {
  const instance = await DuckDBInstance.create(join(data, "clicks.duckdb"), { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  const result = await connection.runAndReadAll(
    'SELECT "id"::VARCHAR, "url", "linkId", "workspaceId", "bot" FROM clicks',
  );
  const clicks = result.getRows().map(([id, url, linkId, workspaceId, bot]) => ({
    id: String(id),
    token: Number(new URL(String(url)).searchParams.get("t")),
    serial: parseDestination(String(url))?.serial ?? 0,
    linkId: String(linkId),
    workspaceId: Number(workspaceId),
    isBot: bot !== "",
  }));
  connection.closeSync();
  instance.closeSync();
  return clicks;
}

/** TABLE of what a stopped server leaves in its data folder. */
const ownFiles =
  /^(waypost\.sqlite(-wal|-shm|-commits)?|clicks\.duckdb(\.wal)?|secret|.*\.lock|spool|lookup|exports|last-backup\.json)$/;

/** No address is in any file, and no temporary file is left. */
function compareFiles({ data, folder, record }: SoakWorld): void {
  record.requireEqual("no file contains a visitor's address", filesWith(data, frequentAddress), []);
  record.requireEqual(
    "no unexpected file is left in the data folder",
    readdirSync(data).filter((name) => !ownFiles.test(name)),
    [],
  );
  record.requireEqual("no export is left", readdirSync(join(data, "exports")), []);
  record.requireEqual("no temporary file is left", readdirSync(join(folder, "tmp")), []);
}

/** Restores the backup elsewhere: a server on it gives the same answers. */
async function compareRestored(
  { folder, environment, record }: SoakWorld,
  { file, members, expected }: { file: string; members: readonly SoakMember[]; expected: Record<string, unknown> },
): Promise<void> {
  const data = join(folder, "restored");
  mkdirSync(data);
  const restored = await waypost(["restore", file], { data, environment });
  if (restored.code !== 0) return record.violate("a backup can be restored", restored);
  const server = await startOn(data, programCommand("serve"), environment);
  try {
    await waitUntilDrained(server);
    const found = await answersOf(server, members);
    for (const [path, body] of Object.entries(expected)) {
      record.requireEqual(`a restored server gives the same answer to ${path}`, found[path], body);
    }
    const verified = await waypost(["clicks", "verify"], { data, environment });
    if (verified.code !== 0) record.violate("clicks verify ends clean on a restored server", verified);
    record.count("answers of the restored server compared", Object.keys(expected).length);
  } finally {
    await server.end("SIGTERM");
  }
}

const comparedPaths = [
  ...["/links?pageSize=100&sortBy=createdAt", "/links/count", "/tags?pageSize=100", "/domains", "/workspaces"],
  ...["countries", "browsers", "os", "devices", "referers", "top_links", "triggers"].map(
    (groupBy) => `/analytics?groupBy=${groupBy}&interval=all&event=clicks`,
  ),
  "/analytics?groupBy=count&interval=all&event=clicks&bots=include",
  "/events?interval=all&event=clicks&limit=100",
];

/** The answers to each member, by workspace and path, without the port. */
async function answersOf(server: TestService, members: readonly SoakMember[]): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const { editor, apiKey } of members) {
    for (const path of comparedPaths) {
      const { status, body } = await server.call("GET", path, { key: apiKey });
      const portless = JSON.stringify(body).replaceAll(/(127\.0\.0\.1|localhost)(:|%3A)\d+/g, "host");
      answers[`workspace ${editor.workspaceId}: ${path}`] = { status, body: portless };
    }
  }
  return answers;
}

/** The invariants' record at the end, as a table. */
export function tableOf(record: SoakRecord): string {
  const rows = record.rows();
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, count]) => `${name.padEnd(width)}  ${count.toLocaleString("en").padStart(10)}`).join("\n");
}
