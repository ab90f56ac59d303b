/** Checks all pages and dialogs in wide windows, in Chinese, the language with the shortest words. */
import { expect, test } from "bun:test";
import { allPagesMsMax, errorsOfPages } from "../support/pictures/page-errors.ts";

test(
  "in wide windows and both themes, every page is accessible, nothing scrolls sideways or is cut to a letter, and there are no errors or requests to other hosts",
  async () => {
    const windows = [
      { width: 1440, height: 900, axe: true },
      { width: 1024, height: 768 },
    ] as const;

    expect(await errorsOfPages(windows, { locale: "zh-CN" })).toEqual([]);
  },
  allPagesMsMax,
);
