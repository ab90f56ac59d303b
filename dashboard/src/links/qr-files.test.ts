import { expect, test } from "bun:test";
import { fileNameOf, uniqueFileNames } from "./qr-files.ts";

test.each([
  ["https://go.example.com/spring", "spring.png"],
  ["https://go.example.com/a/b c", "a-b-c.png"],
  ["https://go.example.com/%E6%98%A5", "春.png"],
  ["https://go.example.com/..%2F..", "2F.png"],
  ["https://go.example.com", "go.example.com.png"],
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
