import { dayMs, hourMs, minuteMs } from "../../src/base/time.ts";
import type { Click } from "../../src/clicks/click.ts";
import { randomClick, seededRandom } from "./clicks.ts";

const random = seededRandom(41);
const historyDays = 800;

/** TABLE of clicks on one link in the last hour: referrers, with their services and channels, and agents. */
export const agents = [
  { referer: "instagram.com", service: "Instagram", channel: "Social", browser: "Safari", os: "iOS", clicks: 3 },
  { referer: "l.instagram.com", service: "Instagram", channel: "Social", browser: "Safari", os: "iOS", clicks: 4 },
  { referer: "t.co", service: "X", channel: "Social", browser: "Chrome", os: "Android", clicks: 5 },
  { referer: "google.de", service: "Google", channel: "Search", browser: "Firefox", os: "Windows", clicks: 2 },
  { referer: "chatgpt.com", service: "ChatGPT", channel: "AI assistants", browser: "Edge", os: "macOS", clicks: 6 },
  { referer: "mail.google.com", service: "Gmail", channel: "E-mail", browser: "Edge", os: "macOS", clicks: 1 },
  { referer: "", service: "Direct", channel: "Direct", browser: "Firefox", os: "Windows", clicks: 8 },
] as const;

/** TABLE of the clicks of the countries in `historyClicks`. One has nearly all. */
const countries = { US: 1_400, DE: 300, FR: 120, BR: 60, JP: 30, KE: 10 } as const;

/** An hour that has far more clicks than any other: Wednesday, October 15, 2025, from 1 to 2 PM in UTC. */
const busyHour = { start: Date.UTC(2025, 9, 15, 13), clicks: 1_250 };

/** The clicks of the table, on a link. */
export function agentClicks(linkId: string, now: number): Click[] {
  return agents.flatMap(({ referer, browser, os, clicks }) =>
    Array.from({ length: clicks }, () => newClick({ linkId, referer, browser, os, country: "DE", time: now - hourMs })),
  );
}

/** Clicks of more than two years on a link, of every named period. */
export function historyClicks(linkId: string, now: number): Click[] {
  const anywhen = () => Math.floor(now - random() * historyDays * dayMs);
  return [
    ...Object.entries(countries).flatMap(([country, clicks]) =>
      Array.from({ length: clicks }, () => newClick({ linkId, country, time: anywhen() })),
    ),
    ...Array.from({ length: busyHour.clicks }, (_, index) =>
      newClick({ linkId, country: "US", time: busyHour.start + index }),
    ),
    ...[1, 1, 2].map((minutes) => newClick({ linkId, country: "US", time: now - minutes * minuteMs })),
  ];
}

function newClick(fields: Partial<Click>): Click {
  const known = { workspaceId: 1, bot: "" as const, referer: "", browser: "Firefox", os: "Windows" };
  return randomClick(random, { from: 0, to: 1 }, { ...known, ...fields });
}
