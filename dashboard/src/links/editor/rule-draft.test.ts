import { describe, expect, test } from "bun:test";
import { availableFields, duplicateParameter, ruleDraftOf, ruleOf } from "./rule-draft.ts";

const after = "2026-11-01T08:15:42.500Z";
const rule = { when: { after, country: "DE" }, url: "https://example.com/de" };

describe("the conditions of a rule", () => {
  test("keep the seconds of instants that are not edited", () => {
    const draft = ruleDraftOf(rule);

    expect(ruleOf({ ...draft, url: "https://example.com/at" }).when).toEqual(rule.when);
    const later = { ...draft, conditions: draft.conditions.map((each) => ({ ...each, value: "2026-12-01T00:00" })) };
    expect(ruleOf(later).when.after).toBe(new Date("2026-12-01T00:00").toISOString());
  });

  test("without a time last from the start to the end of a day", () => {
    const conditions = (["after", "before"] as const).map((field) => ({ field, name: "", value: "2026-12-31" }));

    const { when } = ruleOf({ conditions, url: "" });

    expect(when).toEqual({
      after: new Date("2026-12-31T00:00").toISOString(),
      before: new Date("2027-01-01T00:00").toISOString(),
    });
    expect(ruleDraftOf({ when, url: "" }).conditions.map(({ value }) => value)).toEqual(["2026-12-31", "2026-12-31"]);
  });

  test("have at most one start and one end, and any number of others", () => {
    const { conditions } = ruleDraftOf(rule);

    expect(availableFields(conditions)).not.toContain("after");
    expect(availableFields(conditions)).toEqual(expect.arrayContaining(["before", "country"]));
    expect(availableFields([])).toContain("after");
  });

  test("list each parameter at most once", () => {
    const named = (name: string) => ({ field: "query" as const, name, value: "a" });

    expect(duplicateParameter({ conditions: [named("src"), named("ref")], url: "" })).toBeUndefined();
    expect(duplicateParameter({ conditions: [named("src"), named(" src")], url: "" })).toBe("src");
  });
});
