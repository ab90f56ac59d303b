import { expect, test } from "bun:test";
import { headerBytesMax, memberBytesMax, Warnings, warningsMax } from "./warnings.ts";

test("a response without warnings has no Waypost-Warning header", () => {
  expect(new Warnings().headers()).toEqual({});
});

test("each warning is a code with a quoted message, and an equal one is given once", () => {
  const warnings = new Warnings();

  warnings.add({ code: "key_reused", message: 'The key "spring" was used before.' });
  warnings.add({ code: "text_cut", message: "title: was cut." });
  warnings.add({ code: "text_cut", message: "title: was cut." });

  expect(warnings.headers()).toEqual({
    "Waypost-Warning": 'key_reused;message="The key \\"spring\\" was used before.", text_cut;message="title: was cut."',
  });
});

test("a message contains only printable ASCII, whatever its source", () => {
  const warnings = new Warnings();

  warnings.add({ code: "key_reused", message: "a\r\nSet-Cookie: x=1 \\ café 👍 \ud800" });

  expect(warnings.headers()["Waypost-Warning"]).toBe(
    'key_reused;message="a%0D%0ASet-Cookie: x=1 \\\\ caf%C3%A9 %F0%9F%91%8D %EF%BF%BD"',
  );
});

test("a response has a bounded number of warnings", () => {
  const warnings = new Warnings();

  for (let i = 0; i < warningsMax + 5; i++) warnings.add({ code: "text_cut", message: `${i}` });

  const value = warnings.headers()["Waypost-Warning"] ?? "";
  expect(value.split(", ")).toHaveLength(warningsMax + 1);
  expect(value).toEndWith('more;message="5 more warnings are left out."');
});

test.each(["x", "字", "👍", '"', "\ud800"])("a header of long messages of %j fits a proxy's buffer", (character) => {
  const warnings = new Warnings();

  for (let i = 0; i < 100; i++) warnings.add({ code: "key_reused", message: `${i} ${character.repeat(1_000)}` });

  const value = warnings.headers()["Waypost-Warning"] ?? "";
  const members = value.split(", ");
  expect(value.length).toBeLessThanOrEqual(headerBytesMax);
  for (const member of members) expect(member.length).toBeLessThanOrEqual(memberBytesMax);
  expect(members.at(-1)).toBe(`more;message="${100 - (members.length - 1)} more warnings are left out."`);
  // Cut at whole characters, so that each member can be decoded.
  for (const member of members) expect(() => decodeURIComponent(member)).not.toThrow();
  for (const member of members) expect(member).toMatch(/^[a-z_]+;message="([^"\\]|\\["\\])*"$/);
});
