import { expect, test } from "bun:test";
import { collectExportGarbage } from "./collect-export-garbage.ts";

const mib = 1024 * 1024;

test("every 8 MiB of exports collect garbage, and all of it at most every two seconds", () => {
  let now = 0;
  const collections: string[] = [];
  const onBytes = collectExportGarbage({
    collectYoung: () => collections.push("young"),
    collectAll: () => collections.push("all"),
    now: () => now,
  });
  onBytes(7 * mib);
  expect(collections).toEqual([]);
  onBytes(mib);
  expect(collections).toEqual(["young"]);
  now = 2_000;
  onBytes(7 * mib);
  expect(collections).toEqual(["young"]);
  onBytes(mib);
  onBytes(8 * mib);
  expect(collections).toEqual(["young", "all", "young"]);
});
