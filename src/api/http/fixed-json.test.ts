import { expect, test } from "bun:test";
import { FixedJson } from "./fixed-json.ts";

test("a fixed JSON text is compressed once, also by simultaneous responses", async () => {
  const text = JSON.stringify(Array.from({ length: 1_000 }, (_, index) => ({ index })));
  const fixed = new FixedJson(text);

  const [first, second] = await Promise.all([fixed.compressed("zstd"), fixed.compressed("zstd")]);

  expect(second).toBe(first);
  expect(Bun.zstdDecompressSync(first).toString()).toBe(text);
});
