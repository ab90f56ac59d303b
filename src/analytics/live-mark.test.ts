import { expect, test } from "bun:test";
import { problemOf } from "../../tests/support/problem-of.ts";
import { readMark, writeMark } from "./live-mark.ts";

const spool = "0f8fad5bd9cb469fa16570867728950e";
const other = "ff8fad5bd9cb469fa16570867728950e";

test("a mark is read as it was written", () => {
  const mark = new Map([
    [other, 0],
    [spool, Number.MAX_SAFE_INTEGER],
  ]);

  expect(writeMark(mark)).toBe(`${other}.0,${spool}.9007199254740991`);
  expect([...readMark("Last-Event-ID", writeMark(mark))]).toEqual([...mark]);
});

test.each([
  ...["", ",", "x", spool, `${spool}.`, `${spool}.-1`, `${spool}.1.5`, `${spool}.1e3`, `.${spool}`, `${spool}.1 `],
  ...[`${spool}.1,`, `${spool}.1,${spool}.2`, `${spool}.9007199254740992`, `${spool.toUpperCase()}.1`, `${spool}0.1`],
  Array.from({ length: 129 }, (_, index) => `${index.toString(16).padStart(32, "0")}.1`).join(","),
])("what is no mark is refused with the field's name: %.40s", async (text) => {
  const problem = await problemOf(Promise.try(() => readMark("Last-Event-ID", text)));

  expect(problem).toMatchObject({ code: "unprocessable_entity", message: expect.stringContaining("Last-Event-ID: ") });
});
