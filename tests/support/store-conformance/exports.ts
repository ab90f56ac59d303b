import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClickExport, type ExportFormat, exportFormats, type RunningExport } from "../../../src/clicks/export.ts";
import { type ClickSelection, dimensions, type Filter } from "../../../src/clicks/query.ts";
import { dimensionOf, pageOf, pick, randomClicks, seededRandom, trickyTexts } from "../clicks.ts";
import { asExported, parquetTypes, readCells, readExport, typesOf } from "../exported-clicks.ts";
import { day, everything, neverAborted, type OpenStore, storeTest, type TestedStore } from "./tested-store.ts";

const all = { ...everything, workspaceId: 1 } as const;
/** The maximum number of values in a filter. */
const valuesMax = 2;

/** Texts that spreadsheets read as formulas, or that could end a cell or a line early. */
const spreadsheetTexts = [
  ...["=1+1", "+1", "-1", "@SUM(A1)", "'=quoted", "''", "\t=1", "\r=1", "\n=1", "＝1"],
  ...["a,b", 'a"b', "#1", "\r\n", "ends \r"],
];

const random = seededRandom(20261122);
const texts = [...trickyTexts, ...spreadsheetTexts];
const rows = randomClicks(random, 3_000, day).map((click) => ({
  ...click,
  ...{ utm_source: pick(random, texts), utm_term: pick(random, texts), refererUrl: pick(random, texts) },
}));

/** The clicks that a selection should contain, in any order. */
function matching(selection: ClickSelection) {
  return pageOf(rows, { ...selection, order: "oldestFirst", offset: 0, limit: rows.length });
}

/** The contract of export. */
export function describeExports(open: OpenStore): void {
  describe("export", () => {
    let tested: TestedStore;
    let folder = "";

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "waypost-exports-"));
      tested = await open();
      await tested.store.insert({ spoolId: "spool_a", from: 0, to: 1 }, rows);
    });
    afterAll(async () => {
      await tested.remove();
      rmSync(folder, { recursive: true });
    });

    describeFiles(async (given) => {
      const request = exportRequest(given);
      return await save(await tested.store.export(request, neverAborted), folder, request.format);
    });
    describeEnds(open, () => tested);
  });
}

/** The contract of export during maintain. */
export function describeExportsDuringMaintenance(open: OpenStore): void {
  describe("export", () => {
    storeTest(
      "is complete although maintain replaces the store's file, and so is the next one",
      open,
      async (tested) => {
        const { store } = tested;
        const folder = mkdtempSync(join(tmpdir(), "waypost-exports-"));
        await store.insert({ spoolId: "spool_a", from: 0, to: 1 }, rows);
        await store.erase({ workspaceId: 2 });

        const running = await store.export(exportRequest(), neverAborted);
        const isMaintained = await store.maintain(neverAborted);
        const before = await save(running, folder, "csv");
        const after = await save(await store.export(exportRequest(), neverAborted), folder, "csv");

        const expected = asExported(matching(all));
        expect([isMaintained, before.clicks, after.clicks]).toEqual([true, expected.length, expected.length]);
        expect(await readExport("csv", before.path)).toEqual(expected);
        expect(await readExport("csv", after.path)).toEqual(expected);
        rmSync(folder, { recursive: true });
      },
    );
  });
}

function exportRequest(request: Partial<ClickExport> = {}): ClickExport {
  return { selection: all, format: "csv", domains: [], ...request };
}

type SavedExport = { clicks: number; path: string };
type Exported = (request: Partial<ClickExport>) => Promise<SavedExport>;

/** Writes a stream to a new file. */
async function save(
  { clicks, length, stream }: RunningExport,
  folder: string,
  format: ExportFormat,
): Promise<SavedExport> {
  const path = join(folder, `${crypto.randomUUID()}.${format}`);
  await Bun.write(path, new Response(stream));
  expect(statSync(path).size).toBe(await length);
  return { clicks, path };
}

function describeFiles(exported: Exported): void {
  for (const format of exportFormats) {
    test(`contains every click as stored, and returns their number, as ${format}`, async () => {
      const { clicks, path } = await exported({ format, domains: [{ value: "dom_b", label: "new.example.com" }] });

      const expected = asExported(matching(all), new Map([["dom_b", "new.example.com"]]));
      expect(await readExport(format, path)).toEqual(expected);
      expect(clicks).toBe(expected.length);
    });

    test(`writes a valid file when no click matches, as ${format}`, async () => {
      const { clicks, path } = await exported({ format, selection: { ...all, workspaceId: 3 } });

      expect([clicks, await readExport(format, path)]).toEqual([0, []]);
    });
  }

  test("applies every filter, bot choice and time range", async () => {
    for (const [index, dimension] of dimensions.entries()) {
      const values = Array.from({ length: index % (valuesMax + 1) }, () => dimensionOf(pick(random, rows), dimension));
      const filter: Filter = { dimension, values, isExcluded: random() < 0.5 };
      const selection: ClickSelection = {
        ...{ workspaceId: pick(random, [1, 2]), bots: pick(random, ["include", "exclude", "only"] as const) },
        ...{ from: day.from + Math.floor(random() * 3_600_000), to: day.to - Math.floor(random() * 3_600_000) },
        filters: [filter],
      };

      const { path } = await exported({ format: "jsonl", selection });

      const found = await readExport("jsonl", path);
      expect({ selection, found }).toEqual({ selection, found: asExported(matching(selection)) });
    }
  });

  test("has the expected column types, as parquet", async () => {
    const { path } = await exported({ format: "parquet" });

    expect(await typesOf(path)).toEqual(parquetTypes);
  });

  test("contains no cell that is read as a formula, and ends lines as RFC 4180 requires, as csv", async () => {
    const { path } = await exported({ format: "csv" });

    const text = await Bun.file(path).text();
    expect(text.slice(0, text.indexOf("\n") + 1)).toBe(`${Object.keys(parquetTypes).join(",")}\r\n`);
    expect(text).toEndWith("\r\n");
    const cells = (await readCells(path)).flatMap((row) => Object.values(row));
    expect(cells.filter((cell) => /^[=+\-@\t\r\n＝＋－＠]/.test(cell ?? ""))).toEqual([]);
    expect(cells.filter((cell) => cell === "'=1+1").length).toBeGreaterThan(0);
  });
}

function describeEnds(open: OpenStore, tested: () => TestedStore): void {
  test("fails when it is aborted, and does not begin after an abort", async () => {
    const { store } = tested();
    const aborting = new AbortController();

    const { stream } = await store.export(exportRequest(), aborting.signal);
    aborting.abort(new Error("The client has gone."));
    const late = await store.export(exportRequest(), aborting.signal).catch((error: Error) => error.message);

    await expect(new Response(stream).text()).rejects.toThrow("The client has gone.");
    expect(late).toBe("The client has gone.");
  });

  test("ends when the store closes", async () => {
    const closing = await open();
    await closing.store.insert({ spoolId: "spool_a", from: 0, to: 1 }, rows);

    const { length } = await closing.store.export(exportRequest(), neverAborted);
    const settled = length.then(
      () => "settled",
      () => "settled",
    );
    await closing.remove();

    expect(await settled).toBe("settled");
    await expect(closing.store.export(exportRequest(), neverAborted)).rejects.toThrow("closed");
  });
}
