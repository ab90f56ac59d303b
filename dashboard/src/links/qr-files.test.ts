import { expect, test } from "bun:test";
import { fileNameOf, uniqueFileNames } from "./qr-files.ts";

test.each([
  ["https://go.example.com/spring", "spring.png"],
  ["https://go.example.com/a/b c", "a-b-c.png"],
  ["https://go.example.com/%E6%98%A5", "春.png"],
  ["https://go.example.com/..%2F..", "2F.png"],
  ["https://go.example.com", "go.example.com.png"],
  ["https://go.example.com/con", "qr-con.png"],
  ["https://go.example.com/NUL.x", "qr-NUL.x.png"],
  ["https://go.example.com/lpt1", "qr-lpt1.png"],
  ["https://go.example.com/console", "console.png"],
])("the code of %s is saved as %s", (shortLink, name) => {
  expect(fileNameOf(shortLink, "png")).toBe(name);
});

test("equal names get numbers, without regard to case", () => {
  const keys = ["a", "A", "a-2", "b", "a"];

  expect(
    uniqueFileNames(
      keys.map((key) => `https://go.example.com/${key}`),
      "svg",
    ),
  ).toEqual(["a.svg", "A-2.svg", "a-2-2.svg", "b.svg", "a-3.svg"]);
});

test("names that differ only in the form of an accent get numbers", () => {
  const keys = ["caf\u00e9", "cafe\u0301"].map((key) => `https://go.example.com/${encodeURIComponent(key)}`);

  expect(uniqueFileNames(keys, "png")).toEqual(["caf\u00e9.png", "caf\u00e9-2.png"]);
});

test("a long name with its number has at most 255 bytes, and ends between two characters", () => {
  const long = `https://go.example.com/${encodeURIComponent("春".repeat(190))}`;
  const bytes = uniqueFileNames(Array(500).fill(long), "png").map((each) => Buffer.byteLength(each));
  const name = fileNameOf(`https://go.example.com/${encodeURIComponent(`${"a".repeat(79)}𠀀`)}`, "png");

  expect(Math.max(...bytes)).toBeLessThanOrEqual(255);
  expect(name).toBe(`${"a".repeat(79)}.png`);
});
