import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pageOf, pick, randomClicks, seededRandom, trickyTexts } from "../../../tests/support/clicks.ts";
import { asExported, parquetTypes, readCells, readExport, typesOf } from "../../../tests/support/exported-clicks.ts";
import { type ClickExport, exportFormats } from "../export.ts";
import { type ClickSelection, dimensionOf, dimensions, type Filter } from "../query.ts";
import { day, everything, type OpenStore, type TestedStore } from "./conformance-store.ts";

const all = { ...everything, workspaceId: 1 } as const;
const questionsPerDimension = 3;

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
const unending = new AbortController().signal;

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

    const newOrder = (order: Partial<ClickExport> = {}): ClickExport => {
      const { format = "csv" } = order;
      const path = join(folder, `it's "an" export.${format}`);
      return { selection: all, format, path, domains: [], ...order };
    };

    async function exported(given: Partial<ClickExport>): Promise<{ clicks: number; path: string }> {
      const order = newOrder(given);
      const { clicks, ended } = await tested.store.export(order, unending);
      await ended;
      return { clicks, path: order.path };
    }

    describeFiles(exported);
    describeEnds(open, () => ({ tested, newOrder }));
  });
}

type Exported = (order: Partial<ClickExport>) => Promise<{ clicks: number; path: string }>;

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
    for (const dimension of dimensions) {
      for (let question = 0; question < questionsPerDimension; question++) {
        const values = Array.from({ length: question }, () => dimensionOf(pick(random, rows), dimension));
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

type World = { tested: TestedStore; newOrder(order?: Partial<ClickExport>): ClickExport };

function describeEnds(open: OpenStore, world: () => World): void {
  test("ends when it is aborted, and does not begin after an abort", async () => {
    const { tested, newOrder } = world();
    const order = newOrder({ path: `${newOrder().path}.ended` });
    const ending = new AbortController();

    const { ended } = await tested.store.export(order, ending.signal);
    ending.abort(new Error("The client has gone."));
    const end = await ended.then(
      () => "whole",
      () => "ended",
    );
    const late = await tested.store.export(order, ending.signal).catch((error: Error) => error.message);

    // A small export may be complete before it can be interrupted.
    expect(existsSync(order.path)).toBe(end === "whole");
    expect(late).toBe("The client has gone.");
  });

  test("is complete although maintain replaces the store's file, and so is the next one", async () => {
    const own = await open();
    const order = world().newOrder();
    await own.store.insert({ spoolId: "spool_a", from: 0, to: 1 }, rows);
    await own.store.erase({ workspaceId: 2 });

    const { clicks, ended } = await own.store.export(order, unending);
    const [isMaintained] = await Promise.all([own.store.maintain(), ended]);
    const again = await own.store.export({ ...order, path: `${order.path}.again` }, unending);
    await again.ended;
    await own.remove();

    expect([isMaintained, again.clicks]).toEqual([true, clicks]);
    expect(await readExport("csv", `${order.path}.again`)).toEqual(await readExport("csv", order.path));
  });

  test("ends when the store closes", async () => {
    const own = await open();
    await own.store.insert({ spoolId: "spool_a", from: 0, to: 1 }, rows);
    const order = world().newOrder();

    const { ended } = await own.store.export(order, unending);
    const settled = ended.then(
      () => "settled",
      () => "settled",
    );
    await own.remove();

    expect(await settled).toBe("settled");
    await expect(own.store.export(order, unending)).rejects.toThrow("closed");
  });
}
