import { expect, test } from "bun:test";
import { returnPath } from "./return-path.ts";

/** TABLE of requested paths, and the path that opens. */
const cases: readonly [next: string | null, path: string][] = [
  [null, "/app"],
  ["", "/app"],
  ["/w/1/links?search=a%20b#top", "/app/w/1/links?search=a%20b#top"],
  ["//evil.example", "/app"],
  ["/\\evil.example", "/app"],
  ["https://evil.example", "/app"],
  ["/../../evil", "/app"],
  ["/%2e%2e/v1", "/app"],
  ["/\t/evil.example", "/app//evil.example"],
  ["/x\r\nSet-Cookie: a=b", "/app/xSet-Cookie:%20a=b"],
  [`/${"x".repeat(2_000)}`, "/app"],
];

for (const [next, path] of cases) {
  test(`signing in for ${JSON.stringify(next?.slice(0, 40) ?? null)} opens ${path}`, () => {
    expect(returnPath(next)).toBe(path);
  });
}
