import { expect, test } from "bun:test";
import { isRecorded, whyNotCounted } from "./counting.ts";
import type { Decision } from "./decision.ts";

const decision: Decision = { kind: "destination", status: 302, url: "https://example.com/", source: { kind: "url" } };
const browser = { "user-agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0" };

test("a visit with dub-no-track as parameter or header, of any value, is neither counted nor recorded", () => {
  const requests = [
    { query: "?dub-no-track", headers: browser },
    { query: "?a=1&dub-no-track=0", headers: browser },
    { query: "", headers: { ...browser, "dub-no-track": "1" } },
    { query: "", headers: { ...browser, "dub-no-track": "" } },
  ];
  for (const request of requests) {
    expect(whyNotCounted(decision, { method: "GET", ...request })).toEqual({ reason: "noTrack" });
    expect(isRecorded(decision, request)).toBe(false);
  }
  const plain = { method: "GET", query: "", headers: browser };
  expect([whyNotCounted(decision, plain), isRecorded(decision, plain)]).toEqual([undefined, true]);
});
