import { expect, test } from "bun:test";
import { problemOf } from "../../tests/support/problem-of.ts";
import { formatResumeToken, parseResumeToken } from "./resume-token.ts";

const spool = "0f8fad5bd9cb469fa16570867728950e";
const other = "ff8fad5bd9cb469fa16570867728950e";

test("a token is parsed as it was formatted", () => {
  const resumeToken = new Map([
    [other, 0],
    [spool, Number.MAX_SAFE_INTEGER],
  ]);

  expect(formatResumeToken(resumeToken)).toBe(`${other}.0,${spool}.9007199254740991`);
  expect([...parseResumeToken("Last-Event-ID", formatResumeToken(resumeToken))]).toEqual([...resumeToken]);
});

test.each([
  ...["", ",", "x", spool, `${spool}.`, `${spool}.-1`, `${spool}.1.5`, `${spool}.1e3`, `.${spool}`, `${spool}.1 `],
  ...[`${spool}.1,`, `${spool}.1,${spool}.2`, `${spool}.9007199254740992`, `${spool.toUpperCase()}.1`, `${spool}0.1`],
  Array.from({ length: 129 }, (_, index) => `${index.toString(16).padStart(32, "0")}.1`).join(","),
])("a text that is not a token is refused with the field's name: %.40s", async (text) => {
  const problem = await problemOf(Promise.try(() => parseResumeToken("Last-Event-ID", text)));

  expect(problem).toMatchObject({ code: "unprocessable_entity", message: expect.stringContaining("Last-Event-ID: ") });
});
