import { expect, test } from "bun:test";
import { winnerChanges } from "./winner-changes.ts";

test("the winner keeps its UTM parameters, gets the link's others, and ends the test", () => {
  const link = { utm_source: "mail", utm_medium: null, utm_campaign: null, utm_term: null, utm_content: "a" };

  expect(winnerChanges(link, "https://example.com/b?utm_content=b")).toEqual({
    url: "https://example.com/b?utm_content=b",
    ...{ utm_source: "mail", utm_medium: null, utm_campaign: null, utm_term: null, utm_content: "b" },
    ...{ testVariants: null, testStartedAt: null, testCompletedAt: null },
  });
});
