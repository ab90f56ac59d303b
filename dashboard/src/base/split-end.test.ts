import { expect, test } from "bun:test";
import { splitEnd } from "./split-end.ts";

test("the last characters of a long text are separate, and an emoji is not divided", () => {
  expect(splitEnd("/summer-sale-2026-poster2")).toEqual({ start: "/summer-sale-2026", end: "-poster2" });
  expect(splitEnd("/autumn-campaign-👩‍👩‍👧‍👦poster")).toEqual({ start: "/autumn-campaign-", end: "👩‍👩‍👧‍👦poster" });
});

test("wide characters take as much room as two letters", () => {
  expect(splitEnd("/新宿御苑の桜まつり")).toEqual({ start: "/新宿御苑の", end: "桜まつり" });
  expect(splitEnd("/七个汉字的短链")).toEqual({ start: "/七个汉字的短链", end: "" });
});

test("short texts and those from right to left are not divided", () => {
  for (const text of ["/menu", "/sixteen-letters", "/מדריך-מלא-לשירות-הקישורים"]) {
    expect(splitEnd(text)).toEqual({ start: text, end: "" });
  }
});
