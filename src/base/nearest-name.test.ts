import { expect, test } from "bun:test";
import { nearestName } from "./nearest-name.ts";

const names = ["url", "expiresAt", "startsAt", "maxClicks", "showArchived", "tagIds", "tagNames", "utm_source"];
const zones = ["Europe/Berlin", "Europe/London", "Asia/Kolkata"];

test.each([
  ["expiresat", "expiresAt"],
  ["expireAt", "expiresAt"],
  ["expires_at", "expiresAt"],
  ["max_clicks", "maxClicks"],
  ["MAXCLICKS", "maxClicks"],
  ["tagNmaes", "tagNames"],
  ["utmSource", "utm_source"],
  ["urll", "url"],
  ["archived", "showArchived"],
  ["Europe/Berlni", "Europe/Berlin"],
  ["Kolkata", "Asia/Kolkata"],
  ["weather", undefined],
  ["robots", undefined],
  ["excludeTags", undefined],
  ["xx", undefined],
  ["", undefined],
  ["x".repeat(10_000), undefined],
  ["expiresat".repeat(100), undefined],
  ["expiresat".padEnd(64, "_"), "expiresAt"],
  ["expiresat".padEnd(65, "_"), undefined],
])("the name nearest to %j is %j", (text, nearest) => {
  expect(nearestName(text, [...names, ...zones])).toBe(nearest);
});
