import { describe, expect, test } from "bun:test";
import { minuteMs } from "../base/time.ts";
import { freeCharacters, networkCharactersMax, TextBudget } from "./text-budget.ts";

const now = Date.UTC(2026, 10, 23);
const long = (number: number) => `https://example.com/?visit=${number}&${"x".repeat(1_000)}`;

/** Characters of new texts that the budget allows an address in many tries. */
function takenBy(budget: TextBudget, address: string, from = 0, at = now): number {
  let taken = 0;
  for (let number = from; number < from + 500; number++) {
    if (budget.allowsText(address, long(number), at)) taken += long(number).length;
  }
  return taken;
}

describe("new texts", () => {
  test("of one network are limited per minute, and other networks have their own budget", () => {
    const budget = new TextBudget();

    const first = takenBy(budget, "203.0.113.7");
    expect(first).toBeGreaterThan(networkCharactersMax - 2_000);
    expect(first).toBeLessThanOrEqual(networkCharactersMax);
    expect(budget.cut).toBeGreaterThan(400);
    expect(takenBy(budget, "203.0.113.7", 1_000)).toBeLessThan(2_000);
    expect(takenBy(budget, "203.0.113.8", 2_000)).toBeGreaterThan(networkCharactersMax - 2_000);
    expect(takenBy(budget, "203.0.113.7", 3_000, now + minuteMs)).toBeGreaterThan(networkCharactersMax - 2_000);
  });

  test("of a /48 of IPv6 share one budget, however many addresses it has", () => {
    const budget = new TextBudget();
    takenBy(budget, "2001:db8:1::1");

    expect(takenBy(budget, "2001:db8:1:ffff::2", 1_000)).toBeLessThan(2_000);
    expect(takenBy(budget, "2001:db8:2::1", 2_000)).toBeGreaterThan(networkCharactersMax - 2_000);
  });

  test("that are short or known cost nothing", () => {
    const budget = new TextBudget();
    expect(budget.allowsText("203.0.113.7", long(1), now)).toBe(true);
    takenBy(budget, "203.0.113.7", 1_000);

    expect(budget.allowsText("203.0.113.7", long(1), now)).toBe(true);
    expect(budget.allows("203.0.113.7", freeCharacters, now)).toBe(true);
    expect(budget.allows("203.0.113.7", networkCharactersMax, now)).toBe(false);
  });

  test("are all cut while disk space is short", () => {
    const budget = new TextBudget();
    budget.isDiskShort = true;

    expect(takenBy(budget, "203.0.113.7")).toBe(0);
    budget.isDiskShort = false;
    expect(takenBy(budget, "203.0.113.7", 1_000)).toBeGreaterThan(networkCharactersMax - 2_000);
  });
});
