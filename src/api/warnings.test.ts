import { expect, test } from "bun:test";
import { Warnings, warningCharactersMax, warningsMax } from "./warnings.ts";

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

test("a message holds printable ASCII alone, whatever it was made of", () => {
  const warnings = new Warnings();

  warnings.add({ code: "key_reused", message: "a\r\nSet-Cookie: x=1 \\ café 👍 \ud800" });

  expect(warnings.headers()["Waypost-Warning"]).toBe(
    'key_reused;message="a%0D%0ASet-Cookie: x=1 \\\\ caf%C3%A9 %F0%9F%91%8D %EF%BF%BD"',
  );
});

test("a response has a bounded number of warnings of bounded length", () => {
  const warnings = new Warnings();

  for (let i = 0; i < warningsMax + 5; i++) warnings.add({ code: "text_cut", message: `${i}${"x".repeat(1_000)}` });

  const value = warnings.headers()["Waypost-Warning"] ?? "";
  expect(value.split(", ")).toHaveLength(warningsMax + 1);
  expect(value).toEndWith('more;message="5 more warnings are left out."');
  expect(value.length).toBeLessThan((warningCharactersMax + 30) * (warningsMax + 1));
});
