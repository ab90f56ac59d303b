import { expect, test } from "bun:test";
import { sizeText, withProgress } from "./save-file.ts";

test("sizes have a fitting unit", () => {
  expect([0, 999, 1_000, 12_345_678, 5e12].map((bytes) => sizeText(bytes, "en"))).toEqual([
    "0 byte",
    "999 byte",
    "1 kB",
    "12.3 MB",
    "5,000 GB",
  ]);
});

test("bytes are counted and pass unchanged", async () => {
  const seen: number[] = [];
  const body = new Blob(["id,timestamp\n", "1,2\n"]).stream();

  const text = await new Response(withProgress(body, (bytes) => seen.push(bytes))).text();

  expect(text).toBe("id,timestamp\n1,2\n");
  expect(seen.at(-1)).toBe(17);
});
