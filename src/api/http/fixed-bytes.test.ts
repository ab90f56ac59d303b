import { expect, test } from "bun:test";
import { FixedBytes } from "./fixed-bytes.ts";

test("fixed bytes are compressed once, also by simultaneous responses", async () => {
  const text = JSON.stringify(Array.from({ length: 1_000 }, (_, index) => ({ index })));
  const fixed = new FixedBytes(new TextEncoder().encode(text));

  const [first, second] = await Promise.all([fixed.compressed("zstd"), fixed.compressed("zstd")]);

  expect(second).toBe(first);
  expect(Bun.zstdDecompressSync(first).toString()).toBe(text);
});
