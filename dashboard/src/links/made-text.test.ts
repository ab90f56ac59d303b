import { expect, test } from "bun:test";
import { en } from "../texts/en/en.ts";
import { madeText } from "./made-text.ts";

const now = Date.parse("2026-11-20T09:30:00.000Z");
const link = { shortLink: "https://go.example.com/spring", domain: "go.example.com", expiresAt: null };
const domain = { slug: "go.example.com", verified: true };
const words = { made: en.links.made, now, moment: (time: string | number | Date) => `<${time}>` };

test("a new link is said to be live where it is, and else what it waits for", () => {
  const cases = [
    madeText(link, [domain], words),
    madeText({ ...link, expiresAt: "2026-11-20T09:29:59.000Z" }, [domain], words),
    madeText({ ...link, expiresAt: "2026-11-21T00:00:00.000Z" }, [domain], words),
    madeText({ ...link, startsAt: "2026-11-21T00:00:00.000Z" }, [domain], words),
    madeText({ ...link, startsAt: "2026-11-19T00:00:00.000Z" }, [domain], words),
    madeText(link, [{ ...domain, verified: false }], words),
    madeText(link, [{ ...domain, verified: false, instance: true as const }], words),
    madeText(link, [], words),
  ];

  expect(cases.map((text) => text.replace(link.shortLink, "It"))).toEqual([
    "It is live",
    "It is saved, but has expired already",
    "It is live",
    "It is saved and works from <2026-11-21T00:00:00.000Z>",
    "It is live",
    "It is saved; go.example.com is not verified yet",
    "It is live",
    "It is live",
  ]);
});
