import { expect, test } from "bun:test";
import { fileDescriptorsMax, parseFileDescriptorsMax } from "./file-descriptors.ts";

/** TABLE of texts of Linux and the parsed limits. */
const limits: [string, number][] = [
  ["Max open files            1024                 524288               files     ", 1_024],
  [
    "Max processes             95000 95000 processes\nMax open files            20000                20000 files\n",
    20_000,
  ],
  ["Max open files            unlimited            unlimited            files", Number.MAX_SAFE_INTEGER],
  ["Max cpu time              unlimited            unlimited            seconds", 1_024],
  ["", 1_024],
];
for (const [text, expected] of limits) {
  test(`${JSON.stringify(text)} means ${expected}`, () => {
    expect(parseFileDescriptorsMax(text)).toBe(expected);
  });
}

test("returns a limit for this process", () => {
  expect(fileDescriptorsMax()).toBeGreaterThan(16);
});
