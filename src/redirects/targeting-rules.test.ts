import { expect, test } from "bun:test";
import { chooseDestination, compileTargetingRules, type TargetingColumns } from "./targeting-rules.ts";

const traits = {
  now: 0,
  query: "",
  address: "203.0.113.7",
  userAgent: "",
  acceptLanguage: "",
  place: () => ({ country: "DE", region: "", city: "", continent: "EU" }),
};
const none = { rules: null, ios: null, android: null, geo: null, testVariants: null };
const row: TargetingColumns = {
  ...none,
  id: "link_1",
  url: "https://a.example/",
  testStartedAt: null,
  testCompletedAt: null,
};

test("only the targets that visitors get are made sendable, each once: a link may have hundreds", () => {
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
    "only those met",
  );

  const destinations = [chooseDestination(targetingRules, traits), chooseDestination(targetingRules, traits)];

  expect(made).toEqual([target("de")]);
  expect(destinations[0]).toEqual({ url: target("de"), source: { kind: "geo", country: "DE" } });
  expect(destinations[1]).toBe(destinations[0]);
});
