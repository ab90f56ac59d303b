/** The files of the icons of brands. */
import { expect, test } from "bun:test";
import { brandDrawing } from "../dashboard/brand-files.ts";
import { iconNames } from "../dashboard/src/reports/brands.ts";

test("every icon of the table exists", () => {
  const drawings = iconNames.map(brandDrawing);

  expect(drawings.filter((drawing) => !/ id="icon"[^>]* d="M/i.test(drawing))).toEqual([]);
});

test("black and very bright icons have the color of text, so that both themes show them", () => {
  const fills = ["github", "snapchat", "reddit"].map((name) => /fill="(.*?)"/.exec(brandDrawing(name))?.[1]);

  expect(fills).toEqual([undefined, undefined, "#FF4500"]);
});
