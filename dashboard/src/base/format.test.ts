import { expect, test } from "bun:test";
import { formatOf } from "./format.ts";

test.each([
  { language: "en", shown: ["0%", "<0.1%", "<0.1%", "0.1%", "99.9%", "100%"] },
  { language: "de", shown: ["0\u00a0%", "<0,1\u00a0%", "<0,1\u00a0%", "0,1\u00a0%", "99,9\u00a0%", "100\u00a0%"] },
  { language: "zh", shown: ["0%", "<0.1%", "<0.1%", "0.1%", "99.9%", "100%"] },
] as const)("in $language a share above 0 is never shown as 0 percent", ({ language, shown }) => {
  const { percent } = formatOf(language);

  expect([0, 0.000_000_1, 0.000_49, 0.000_6, 0.999, 1].map(percent)).toEqual([...shown]);
});

test("shares in a column have one decimal, except for none and all", () => {
  const { share } = formatOf("en");

  expect([0, 0.000_01, 0.02, 0.529, 1].map(share)).toEqual(["0%", "<0.1%", "2.0%", "52.9%", "100%"]);
});

test("an instant is shown in another time zone, or in the browser's when it does not know that zone", () => {
  const { instant, instantIn } = formatOf("en");
  const time = "2026-11-30T08:00:00Z";

  expect(instantIn(time, "Asia/Tokyo").replaceAll(/\s/g, " ")).toBe("Nov 30, 2026, 5:00 PM");
  expect(instantIn(time, "Mars/Olympus")).toBe(instant(time));
});
