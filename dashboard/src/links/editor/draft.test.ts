import { describe, expect, test } from "bun:test";
import type { Link } from "../links-api.ts";
import {
  changesOf,
  complemented,
  copyOf,
  creationOf,
  divideEvenly,
  draftOf,
  newDraft,
  percentageSum,
} from "./draft.ts";

// The fields of a link that the form reads.
const link = {
  url: "https://example.com/?utm_source=mail",
  domain: "go.example.com",
  key: "spring",
  externalId: "42",
  password: "********",
  tags: [{ id: "tag_a", name: "A", color: "blue" }],
  expiresAt: "2026-11-20T09:30:15.250Z",
  expiredUrl: null,
  geo: { DE: "https://example.com/de" },
  rules: [
    {
      when: { country: ["DE", "AT"], query: { src: "mail" }, after: "2026-11-01T00:00:00.000Z" },
      url: "https://example.com/rule",
    },
  ],
  testVariants: null,
  testStartedAt: null,
  testCompletedAt: null,
  archived: true,
} as unknown as Link;

describe("the form of a link", () => {
  test("sends an invalid instant as typed, so that it is refused and removes nothing", () => {
    const before = draftOf(link);

    expect(changesOf(before, { ...before, expiresAt: "2027" })).toEqual({ expiresAt: "2027" });
    expect(changesOf(before, { ...before, expiresAt: " " })).toEqual({ expiresAt: null });
  });

  test("sends an end without a time as the end of that day, and shows it as that day again", () => {
    const before = draftOf(link);
    const after = { ...before, expiresAt: "2026-12-31", startsAt: "2026-12-01", testCompletedAt: "2026-12-24T18:00" };

    const changes = changesOf(before, after);

    expect(changes).toEqual({
      expiresAt: new Date("2027-01-01T00:00").toISOString(),
      startsAt: new Date("2026-12-01T00:00").toISOString(),
      testCompletedAt: new Date("2026-12-24T18:00").toISOString(),
    });
    expect(draftOf({ ...link, ...changes } as unknown as Link)).toMatchObject({
      expiresAt: "2026-12-31",
      startsAt: "2026-12-01",
      testCompletedAt: "2026-12-24T18:00",
    });
  });

  test("sends nothing while nothing is changed, even if times have seconds", () => {
    expect(changesOf(draftOf(link), draftOf(link))).toEqual({});
  });

  test("sends only changed fields, and null for emptied ones", () => {
    const before = draftOf(link);

    const after = { ...before, comments: " Berlin ", password: "", geo: [], tagIds: [], maxClicks: "10" };

    expect(changesOf(before, after)).toEqual({
      comments: "Berlin",
      password: null,
      geo: null,
      tagIds: [],
      maxClicks: 10,
    });
  });

  test("sends the UTM parameters with the URL, so that removed ones stay removed", () => {
    const before = draftOf(link);

    expect(changesOf(before, { ...before, url: "https://example.com/?utm_term=x" })).toEqual({
      url: "https://example.com/?utm_term=x",
      utm_source: null,
      utm_medium: null,
      utm_campaign: null,
      utm_term: "x",
      utm_content: null,
    });
  });

  test("writes rules as it read them", () => {
    const before = draftOf(link);

    const rules = [...before.rules, { conditions: [{ field: "os" as const, name: "", value: "iOS" }], url: "b.com" }];

    expect(changesOf(before, { ...before, rules }).rules).toEqual([
      ...(link.rules ?? []),
      { when: { os: "iOS" }, url: "b.com" },
    ]);
  });

  test("leaves an empty domain and key of a new link to the service", () => {
    const { utm_source: _, ...rest } = creationOf({ ...newDraft(), url: "example.com", proxy: true });

    expect(rest).toMatchObject({ url: "example.com", proxy: true });
    expect("domain" in rest || "key" in rest).toBe(false);
    expect(creationOf({ ...newDraft(), domain: "go.example.com", url: "a.com", key: "b" })).toMatchObject({
      domain: "go.example.com",
      key: "b",
    });
  });

  test("copies a link without its key, external id and password", () => {
    expect(copyOf(link)).toMatchObject({ key: "", externalId: "", password: "", archived: false, url: link.url });
  });

  test("divides 100 percent among new variants of an A/B test", () => {
    const before = draftOf(link);

    const testVariants = divideEvenly([0, 1, 2].map((index) => ({ url: `${index}.example.com`, percentage: "" })));

    expect(testVariants.map(({ percentage }) => percentage)).toEqual(["34", "33", "33"]);
    expect(percentageSum(testVariants)).toBe(100);
    expect(Object.keys(changesOf(before, { ...before, testVariants }))).toEqual(["testVariants"]);
  });
});

test("of two variants, one gets what the other leaves", () => {
  const of = (...shares: string[]) => shares.map((percentage, index) => ({ url: `${index}.example.com`, percentage }));

  expect(complemented(of("50", "50"), of("70", "50"))).toEqual(of("70", "30"));
  expect(complemented(of("70", "30"), of("70", "15"))).toEqual(of("85", "15"));
  for (const share of ["", "5", "95", "12.5"]) {
    expect(complemented(of("50", "50"), of(share, "50"))).toEqual(of(share, "50"));
  }
  expect(complemented(of("34", "33", "33"), of("40", "33", "33"))).toEqual(of("40", "33", "33"));
});
