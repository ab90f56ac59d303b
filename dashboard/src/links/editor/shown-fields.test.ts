import { expect, test } from "bun:test";
import { type Draft, newDraft } from "./draft.ts";
import { isChangedAt } from "./shown-fields.ts";

const sent: Draft = {
  ...newDraft(),
  url: "https://example.com/?utm_source=mail",
  key: "spring",
  geo: [{ country: "DE", url: "https://example.com/de" }],
  rules: [
    {
      conditions: [
        { field: "country", name: "", value: "XX" },
        { field: "device", name: "", value: "" },
      ],
      url: "https://example.com/rule",
    },
  ],
  testVariants: [
    { url: "https://example.com/a", percentage: "5" },
    { url: "https://example.com/b", percentage: "95" },
  ],
};

/** TABLE of changes, and the fields whose errors they may fix. */
const changes: { change: Partial<Draft>; cleared: string[] }[] = [
  { change: { title: "Other" }, cleared: ["title"] },
  { change: { key: "summer" }, cleared: ["key"] },
  { change: { domain: "go.example.com" }, cleared: ["domain", "key"] },
  { change: { startsAt: "2026-11-20T09:30" }, cleared: ["startsAt", "expiresAt"] },
  { change: { url: "https://example.com/" }, cleared: ["url", "utm_source"] },
  { change: { geo: [{ country: "DE", url: "https://example.com/new" }] }, cleared: ["geo.DE", "geo"] },
  { change: { geo: [...sent.geo, { country: "AT", url: "https://example.com/at" }] }, cleared: ["geo"] },
  {
    change: { rules: sent.rules.map((rule) => ({ ...rule, url: "https://example.com/new" })) },
    cleared: ["rules", "rules.0.url"],
  },
  {
    change: {
      rules: sent.rules.map(({ conditions: [, device], url }) => ({
        conditions: [{ field: "country", name: "", value: "DE" }, ...(device === undefined ? [] : [device])],
        url,
      })),
    },
    cleared: ["rules", "rules.0.when.country"],
  },
  { change: { rules: [] }, cleared: ["rules", "rules.0.url", "rules.0.when.country", "rules.0.when.device"] },
  {
    change: { testVariants: sent.testVariants.map((variant) => ({ ...variant, percentage: "50" })) },
    cleared: ["testVariants", "testVariants.0.percentage"],
  },
];

const fields = [
  ...["title", "key", "domain", "startsAt", "expiresAt", "url", "utm_source", "geo", "geo.DE"],
  ...["rules", "rules.0.url", "rules.0.when.country", "rules.0.when.device"],
  ...["testVariants", "testVariants.0.url", "testVariants.0.percentage"],
];

test.each(changes)("a change clears exactly the errors that depend on it: $cleared", ({ change, cleared }) => {
  const found = fields.filter((field) => isChangedAt(field, sent, { ...sent, ...change }));

  expect(found.sort()).toEqual(cleared.sort());
});
