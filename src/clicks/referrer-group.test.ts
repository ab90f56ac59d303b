import { expect, test } from "bun:test";
import { groupNamed, referrerGroupOf } from "./referrer-group.ts";
import { referrerServices } from "./referrer-table.ts";

/** TABLE of hosts with their groups and channels. */
const cases: [host: string, group: string, channel: string][] = [
  ["", "", "direct"],
  ["instagram.com", "Instagram", "social"],
  ["l.instagram.com", "Instagram", "social"],
  ["t.co", "X", "social"],
  ["twitter.com", "X", "social"],
  ["mobile.twitter.com", "X", "social"],
  ["m.facebook.com", "Facebook", "social"],
  ["lm.facebook.com", "Facebook", "social"],
  ["google.com", "Google", "search"],
  ["google.de", "Google", "search"],
  ["google.co.uk", "Google", "search"],
  ["google.com.br", "Google", "search"],
  ["images.google.fr", "Google", "search"],
  ["com.google.android.googlequicksearchbox", "Google", "search"],
  ["mail.google.com", "Gmail", "email"],
  ["com.google.android.gm", "Gmail", "email"],
  ["gemini.google.com", "Gemini", "ai"],
  ["developers.google.com", "developers.google.com", "referral"],
  ["de.search.yahoo.com", "Yahoo", "search"],
  ["de.pinterest.com", "Pinterest", "social"],
  ["pinterest.co.uk", "Pinterest", "social"],
  ["web.whatsapp.com", "WhatsApp", "messaging"],
  ["eur02.safelinks.protection.outlook.com", "Outlook", "email"],
  ["chatgpt.com", "ChatGPT", "ai"],
  ["perplexity.ai", "Perplexity", "ai"],
  ["claude.ai", "Claude", "ai"],
  ["de.m.wikipedia.org", "Wikipedia", "referral"],
  ["news.example.com", "news.example.com", "referral"],
  ["notfacebook.com", "notfacebook.com", "referral"],
  ["facebook.com.evil.example", "facebook.com.evil.example", "referral"],
  ["google.evil.com", "google.evil.com", "referral"],
  ["[::1]", "[::1]", "referral"],
  ["example.com.", "example.com.", "referral"],
  ["constructor", "constructor", "referral"],
  ["*", "*", "referral"],
];

test.each(cases)("%p is in the group %p of the channel %p", (host, refererGroup, channel) => {
  expect<object>(referrerGroupOf(host)).toEqual({ refererGroup, channel });
});

test("a host is in one group, and a group in one channel", () => {
  const services = Object.values(referrerServices).flatMap((named) => Object.entries(named));
  const names = services.map(([name]) => name.toLowerCase());
  const hosts = services.flatMap(([, { hosts = "", domains = "" }]) => `${hosts} ${domains}`.trim().split(/\s+/));

  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(hosts.filter((host, index) => hosts.indexOf(host) !== index)).toEqual([]);
});

test("filters can name every group: no comma, and no hyphen at the start", () => {
  const names = Object.values(referrerServices).flatMap((named) => Object.keys(named));

  expect(names.filter((name) => name.includes(",") || name.startsWith("-") || name.trim() !== name)).toEqual([]);
});

test("every host in the table is found as itself, in lower case", () => {
  const wrong = Object.entries(referrerServices).flatMap(([channel, named]) =>
    Object.entries(named).flatMap(([refererGroup, { hosts = "", domains = "" }]) =>
      `${hosts} ${domains}`
        .trim()
        .split(/\s+/)
        .map((host) => host.replace(".*", ".com"))
        .filter(
          (host) => host !== host.toLowerCase() || !Bun.deepEquals(referrerGroupOf(host), { refererGroup, channel }),
        ),
    ),
  );

  expect(wrong).toEqual([]);
});

test("a group is found by its name in any case", () => {
  expect(groupNamed("whatsapp")?.refererGroup).toBe("WhatsApp");
  expect(groupNamed("nowhere")).toBeUndefined();
});
