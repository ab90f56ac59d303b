import { describe, expect, test } from "bun:test";
import { Problem } from "../base/problem.ts";
import { applyFields } from "./apply-fields.ts";
import { type FieldColumns, unsetColumns } from "./fields.ts";
import type { LinkFields } from "./link.ts";

/** The columns an input changes on a link that sets nothing, or the code of the problem it is refused with. */
function changes(input: LinkFields, before: FieldColumns = unsetColumns): Partial<FieldColumns> | string {
  try {
    const after = applyFields(before, input, ["myapp"]);
    const earlier = new Map<string, unknown>(Object.entries(before));
    return Object.fromEntries(Object.entries(after).filter(([name, value]) => value !== earlier.get(name)));
  } catch (error) {
    if (error instanceof Problem) return `! ${error.code}`;
    throw error;
  }
}

const unprocessable = "! unprocessable_entity";
const variants = [
  { url: "https://a.example", percentage: 50 },
  { url: "b.example", percentage: 50 },
];

describe("each field is stored in one form", () => {
  const cases: [LinkFields, Partial<FieldColumns> | string][] = [
    [{}, {}],
    [{ comments: undefined }, {}],
    [{ externalId: "ext_1" }, { externalId: "1" }],
    [{ externalId: "ext_ext_1" }, { externalId: "ext_1" }],
    [{ externalId: "x".repeat(255) }, { externalId: "x".repeat(255) }],
    [{ externalId: "" }, unprocessable],
    [{ externalId: "ext_" }, unprocessable],
    [{ externalId: "x".repeat(256) }, unprocessable],
    [{ tenantId: "x".repeat(256) }, unprocessable],
    [{ comments: "x".repeat(10_001) }, unprocessable],
    [{ comments: "" }, {}],
    [{ title: "x".repeat(200) }, { title: "x".repeat(120) }],
    [{ title: `${"x".repeat(119)}🔥` }, { title: "x".repeat(119) }],
    [{ title: `${"x".repeat(118)}👩‍🚀` }, { title: "x".repeat(118) }],
    [{ title: `${"x".repeat(119)}e\u0301y` }, { title: "x".repeat(119) }],
    [{ title: `${"x".repeat(118)}🔥y` }, { title: `${"x".repeat(118)}🔥` }],
    [{ title: `a${"\u0301".repeat(200)}` }, { title: `a${"\u0301".repeat(119)}` }],
    [{ description: "x".repeat(300) }, { description: "x".repeat(240) }],
    [{ image: "https://example.com/a.png" }, { image: "https://example.com/a.png" }],
    [{ image: "data:image/png;base64,aGk=" }, { image: "data:image/png;base64,aGk=" }],
    [{ image: "data:text/html;base64,aGk=" }, {}],
    [{ image: "a picture" }, {}],
    [{ expiresAt: 1 }, { expiresAt: 1 }],
    [{ expiredUrl: "example.com" }, { expiredUrl: "https://example.com" }],
    [{ expiredUrl: "" }, {}],
    [{ ios: "myapp://open" }, { ios: "myapp://open" }],
    [{ android: "javascript:alert(1)" }, unprocessable],
    [
      { geo: { us: "example.com/us", DE: "https://example.com/de" } },
      { geo: '{"DE":"https://example.com/de","US":"https://example.com/us"}' },
    ],
    [{ geo: {} }, {}],
    [{ geo: { XX: "https://example.com" } }, unprocessable],
    [{ geo: { toString: "https://example.com" } }, unprocessable],
    [{ geo: { DE: "" } }, unprocessable],
    [{ archived: true, proxy: false }, { archived: 1 }],
    [
      { testVariants: variants },
      { testVariants: '[{"url":"https://a.example","percentage":50},{"url":"https://b.example","percentage":50}]' },
    ],
    [{ testVariants: variants.slice(0, 1), trackConversion: true }, unprocessable],
    [{ testVariants: [...variants, ...variants, ...variants], trackConversion: true }, unprocessable],
    [{ testVariants: variants.map((one) => ({ ...one, percentage: 9 })), trackConversion: true }, unprocessable],
    [
      { testVariants: variants.map((one) => ({ ...one, percentage: Number.NaN })), trackConversion: true },
      unprocessable,
    ],
    [{ image: `data:image/png;base64,${"A".repeat(100_000)}` }, unprocessable],
    [
      { startsAt: 1_000, expiresAt: 1_001 },
      { startsAt: 1_000, expiresAt: 1_001 },
    ],
    [{ startsAt: 1_000, expiresAt: 1_000 }, unprocessable],
    [
      { testStartedAt: 1_000, testCompletedAt: 1_001 },
      { testStartedAt: 1_000, testCompletedAt: 1_001 },
    ],
    [{ testStartedAt: 1_000, testCompletedAt: 1_000 }, unprocessable],
    [{ maxClicks: 10 }, { maxClicks: 10 }],
    [{ maxClicks: 0 }, unprocessable],
    [{ maxClicks: 1.5 }, unprocessable],
    [{ forwardPath: true }, { forwardPath: 1 }],
    [{ forwardPath: null }, {}],
    [{ rules: [] }, {}],
    [
      { rules: [{ when: { country: "de", device: ["mobile", "TABLET"] }, url: "a.example" }] },
      { rules: '[{"when":{"country":"DE","device":["Mobile","Tablet"]},"url":"https://a.example"}]' },
    ],
    [
      { rules: [{ when: { language: "pt-BR", query: { ref: "x" }, after: 1, before: 2 }, url: "myapp://a" }] },
      {
        rules: '[{"when":{"language":"pt-br","query":{"ref":"x"},"before":2,"after":1},"url":"myapp://a"}]',
      },
    ],
    [{ rules: [{ when: {}, url: "a.example" }] }, unprocessable],
    [{ rules: [{ when: { country: "XX" }, url: "a.example" }] }, unprocessable],
    [{ rules: [{ when: { region: "California" }, url: "a.example" }] }, unprocessable],
    [{ rules: [{ when: { continent: "Europe" }, url: "a.example" }] }, unprocessable],
    [{ rules: [{ when: { device: "Phone" }, url: "a.example" }] }, unprocessable],
    [{ rules: [{ when: { os: "" }, url: "a.example" }] }, unprocessable],
    [{ rules: [{ when: { browser: [] }, url: "a.example" }] }, unprocessable],
    [{ rules: [{ when: { language: "German" }, url: "a.example" }] }, unprocessable],
    [{ rules: [{ when: { query: {} }, url: "a.example" }] }, unprocessable],
    [{ rules: [{ when: { before: 1, after: 1 }, url: "a.example" }] }, unprocessable],
    [{ rules: [{ when: { os: "iOS" }, url: "javascript:alert(1)" }] }, unprocessable],
    [{ rules: Array(51).fill({ when: { os: "iOS" }, url: "a.example" }) }, unprocessable],
    [{ rules: Array(3).fill({ when: { os: "iOS" }, url: `a.example/${"a".repeat(30_000)}` }) }, unprocessable],
  ];
  for (const [input, expected] of cases) {
    test(JSON.stringify(input).slice(0, 80), () => expect(changes(input)).toEqual(expected));
  }
});

test("null clears a field, absence keeps it", () => {
  const before: FieldColumns = { ...unsetColumns, title: "t", externalId: "1", geo: "{}", expiresAt: 1, archived: 1 };

  expect(changes({}, before)).toEqual({});
  expect(changes({ title: null, externalId: null, geo: null, expiresAt: null, archived: false }, before)).toEqual({
    title: null,
    externalId: null,
    geo: null,
    expiresAt: null,
    archived: 0,
  });
});
