/**
 * Checks all pages and dialogs in narrow windows, in German, the language with the longest words, and with the larger
 * controls of touch screens. The last windows show the longest words and the largest controls in the wide layouts.
 */
import { expect, test } from "bun:test";
import { allPagesMsMax, errorsOfPages } from "../support/pictures/page-errors.ts";

test(
  "on phones and tablets and in both themes, every page is accessible, nothing scrolls sideways or is cut to a letter, and there are no errors or requests to other hosts",
  async () => {
    const windows = [
      { width: 390, height: 844 },
      { width: 360, height: 740, axe: true },
      { width: 1024, height: 720 },
      { width: 1440, height: 900 },
    ] as const;

    expect(await errorsOfPages(windows, { locale: "de-DE", hasTouch: true })).toEqual([]);
  },
  allPagesMsMax,
);
