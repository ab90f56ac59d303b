import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ClickPage, Filter } from "../../../src/clicks/query.ts";
import { pageOf, randomClicks, seededRandom } from "../clicks.ts";
import { day, everything, type OpenStore, type TestedStore } from "./tested-store.ts";

/** The contract of page. */
export function describePages(open: OpenStore): void {
  describe("page", () => {
    const clicks = randomClicks(seededRandom(20261121), 1_500, day);
    // Many clicks at the same time: only their ids order them.
    const rows = clicks.map((click, index) => ({ ...click, time: index % 3 === 0 ? day.from + 1_000 : click.time }));
    let tested: TestedStore;

    beforeAll(async () => {
      tested = await open();
      await tested.store.insert({ spoolId: "spool_a", from: 0, to: 1 }, rows);
    });
    afterAll(() => tested.remove());

    test("returns the clicks as stored, in the page's order, with ties by id", async () => {
      for (const order of ["newestFirst", "oldestFirst"] satisfies ClickPage["order"][]) {
        for (const [offset, limit] of [
          [0, 10],
          [95, 7],
          [0, 1_000],
          [700, 1_000],
          [5_000, 10],
        ] as const) {
          const page: ClickPage = { ...everything, workspaceId: 1, order, offset, limit };
          expect({ page, clicks: await tested.store.page(page) }).toEqual({ page, clicks: pageOf(rows, page) });
        }
      }
    });

    test("returns the right part of the clicks for any range and offset", async () => {
      const random = seededRandom(20261124);
      const filtersOf: Filter[][] = [
        [],
        [{ dimension: "country", values: ["DE", "US"], isExcluded: false }],
        [{ dimension: "linkId", values: [rows[0]?.linkId ?? ""], isExcluded: false }],
      ];
      const ranges = [
        { from: 0, to: 2 * day.to },
        { from: day.from, to: day.from + 1 },
        { from: day.from + 1_000, to: day.from + 1_001 },
        { from: day.from + 999, to: day.to },
      ];
      for (const filters of filtersOf) {
        for (const range of ranges) {
          for (const order of ["newestFirst", "oldestFirst"] satisfies ClickPage["order"][]) {
            const [offset, limit] = [Math.floor(random() * 600), 1 + Math.floor(random() * 200)];
            const page: ClickPage = { ...everything, ...range, workspaceId: 1, filters, order, offset, limit };
            expect({ page, clicks: await tested.store.page(page) }).toEqual({ page, clicks: pageOf(rows, page) });
          }
        }
      }
    });

    test("applies its filters, bot choice and time range", async () => {
      const filters: Filter[] = [{ dimension: "country", values: ["DE", "US"], isExcluded: false }];
      const to = day.from + 5 * 3_600_000;
      const page: ClickPage = {
        ...{ ...everything, workspaceId: 2, to, bots: "exclude", filters },
        ...{ order: "newestFirst", offset: 3, limit: 50 },
      };

      expect(await tested.store.page(page)).toEqual(pageOf(rows, page));
      expect(await tested.store.page({ ...page, workspaceId: 3 })).toEqual([]);
    });
  });
}
