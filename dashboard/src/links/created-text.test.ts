import { expect, test } from "bun:test";
import { en } from "../texts/en/en.ts";
import { createdText } from "./created-text.ts";

const now = Date.parse("2026-11-20T09:30:00.000Z");
const link = { shortLink: "https://go.example.com/spring", domain: "go.example.com", expiresAt: null };
const domain = { slug: "go.example.com", verified: true };
const words = { created: en.links.created, now, instant: (time: string | number | Date) => `<${time}>` };

test("the message says that a new link is live, or why it is not", () => {
  const cases = [
    createdText(link, [domain], words),
    createdText({ ...link, expiresAt: "2026-11-20T09:29:59.000Z" }, [domain], words),
    createdText({ ...link, expiresAt: "2026-11-21T00:00:00.000Z" }, [domain], words),
    createdText({ ...link, startsAt: "2026-11-21T00:00:00.000Z" }, [domain], words),
    createdText({ ...link, startsAt: "2026-11-19T00:00:00.000Z" }, [domain], words),
    createdText(link, [{ ...domain, verified: false }], words),
    createdText(link, [{ ...domain, verified: false, instance: true as const }], words),
    createdText(link, [], words),
  ];

  expect(cases.map((text) => text.replace("go.example.com/spring", "It"))).toEqual([
    "It is live",
    "It is saved, but has already expired",
    "It is live",
    "It is saved and works from <2026-11-21T00:00:00.000Z>",
    "It is live",
    "It is saved; go.example.com is not verified yet",
    "It is live",
    "It is live",
  ]);
});
