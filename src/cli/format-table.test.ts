import { expect, test } from "bun:test";
import { formatTable } from "./format-table.ts";

test("a table aligns its columns, also with wide characters, and shortens long cells", () => {
  const table = formatTable(
    ["ID", "NAME", "STATE"],
    [
      ["1", "Ada", "active"],
      ["22", "链接", "x".repeat(80)],
    ],
  );

  expect(table).toBe(`ID  NAME  STATE\n1   Ada   active\n22  链接  ${"x".repeat(59)}…\n`);
});

test("control characters of a name cannot steer the terminal", () => {
  expect(formatTable(["NAME"], [["A\u001b[31m\nB\u202e"]])).toBe("NAME\nA?[31m?B?\n");
});
