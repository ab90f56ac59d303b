import { expect, test } from "bun:test";
import { visitorWith } from "../../tests/support/link-targets.ts";
import { chooseDestination, compileTargetingRules, type TargetingColumns } from "./targeting-rules.ts";

const none = { rules: null, ios: null, android: null, geo: null, testVariants: null };
const row: TargetingColumns = {
  ...none,
  id: "link_1",
  url: "https://a.example/",
  testStartedAt: null,
  testCompletedAt: null,
};

test("a rule turns its target into a Location value for its first visitor, and once", () => {
  const visitor = visitorWith();
  const made: string[] = [];
  const toLocation = (url: string) => {
    made.push(url);
    return url;
  };
  const target = (name: string) => `https://${name}.example/`;
  const geo = JSON.stringify({ AT: target("at"), DE: target("de"), FR: target("fr") });
  const rules = JSON.stringify([{ when: { country: "FR" }, url: target("rule") }]);
  const testVariants = JSON.stringify([{ url: target("variant"), percentage: 100 }]);
  const targetingRules = compileTargetingRules(
    { ...row, rules, geo, testVariants, ios: target("ios") },
    toLocation,
    "test",
  );

  const destinations = [chooseDestination(targetingRules, visitor), chooseDestination(targetingRules, visitor)];

  expect(made).toEqual([target("de")]);
  expect(destinations[0]).toEqual({ url: target("de"), source: { kind: "geo", country: "DE" } });
  expect(destinations[1]).toBe(destinations[0]);
});

test.each([
  ["?a=1&a=2", { a: "2" }],
  ["?a+b=%C3%A9", { "a b": "é" }],
  ["?a", { a: "" }],
])("a rule fits the visit with the query %s", (query, wanted) => {
  const rules = JSON.stringify([{ when: { query: wanted }, url: "https://rule.example/" }]);
  const targetingRules = compileTargetingRules({ ...row, rules }, (url) => url, "test");

  expect(chooseDestination(targetingRules, visitorWith({ query }))?.url).toBe("https://rule.example/");
  expect(chooseDestination(targetingRules, visitorWith({ query: "?a=3&a+b=e" }))).toBeUndefined();
});
