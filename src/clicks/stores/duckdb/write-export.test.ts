/** Exports of several parts, in a store with little memory. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomClicks, seededRandom } from "../../../../tests/support/clicks.ts";
import { columnsOf, countUrls } from "../../../../tests/support/exported-clicks.ts";
import { day, everything } from "../../../../tests/support/store-conformance/tested-store.ts";
import { minuteMs } from "../../../base/time.ts";
import type { ExportFormat } from "../../export.ts";
import type { ClickStore } from "../../store.ts";
import { exportColumns } from "../export-columns.ts";
import { openDuckDbStore } from "./duckdb-store.ts";

/** More than one part of an export. */
const clicksCount = 140_000;
const insertedAtOnce = 28_000;
const formats = ["csv", "parquet"] as const;

let data = "";
let folder = "";
let store: ClickStore;

/** Clicks that each have another URL. */
beforeAll(async () => {
  // A path with a `=`, which DuckDB could take for a column.
  data = mkdtempSync(join(tmpdir(), "waypost=export-parts-"));
  folder = join(data, "exports");
  store = await openDuckDbStore({ path: join(data, "clicks.duckdb"), threads: 1, memoryMax: "112MB" });
  const clicks = randomClicks(seededRandom(20261128), clicksCount, day, { workspaceId: 1, bot: "" });
  const own = clicks.map((click, index) => ({ ...click, url: `https://shop.example/?gclid=${index}-${click.id}` }));
  for (let from = 0; from < clicksCount; from += insertedAtOnce) {
    const to = from + insertedAtOnce;
    await store.insert({ spoolId: "spool", from, to }, own.slice(from, to));
  }
}, minuteMs);
afterAll(async () => {
  await store.close();
  rmSync(data, { recursive: true });
});

const begin = (format: ExportFormat, signal: AbortSignal) =>
  store.export({ selection: { ...everything, workspaceId: 1 }, format, domains: [] }, signal);
const filesOfExports = () => readdirSync(folder, { recursive: true, encoding: "utf8" });

test.each(formats)(
  "an export as %s of clicks with a URL each needs memory for a part of them alone",
  async (format) => {
    const { clicks, length, stream } = await begin(format, new AbortController().signal);
    const file = join(data, `export.${format}`);
    await length;
    const parts = filesOfExports().filter((name) => name.includes("part-"));
    await Bun.write(file, new Response(stream));

    expect({ clicks, parts }).toEqual({ clicks: clicksCount, parts: [] });
    expect(await countUrls(format, file)).toBe(clicksCount);
    expect(await columnsOf(format, file)).toEqual([...exportColumns]);
  },
  minuteMs,
);

test.each(formats)(
  "an export as %s that is aborted between its parts fails and leaves nothing",
  async (format) => {
    const aborting = new AbortController();
    const { stream, length } = await begin(format, aborting.signal);
    const isComplete = length.then(
      () => true,
      () => false,
    );
    while (!filesOfExports().join().includes("part-1")) await Bun.sleep(1);

    aborting.abort(new Error("The client left."));

    expect(new Response(stream).arrayBuffer()).rejects.toThrow("The client left.");
    expect(await isComplete).toBe(false);
    while (filesOfExports().length > 0) await Bun.sleep(5);
  },
  minuteMs,
);
