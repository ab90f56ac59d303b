import { describe, expect, test } from "bun:test";
import { dayMs } from "../base/time.ts";
import {
  type DomainClaim,
  type DomainStatus,
  failingGraceMs,
  hostNamesOf,
  instanceSlug,
  judge,
  linksWork,
  normalizeSlug,
  ownershipRecord,
  slugCharactersMax,
  type TxtLookup,
  withoutWww,
} from "./domain.ts";

const now = Date.UTC(2026, 10, 20);
const slug = "go.example.com";
const token = "t0ken";
const proof: TxtLookup = { kind: "found", records: ["v=spf1 -all", "waypost-verify=t0ken"] };
const wrong: TxtLookup = { kind: "found", records: ["waypost-verify=other"] };
const nxdomain: TxtLookup = { kind: "absent", reason: "nxdomain" };
const empty: TxtLookup = { kind: "absent", reason: "empty" };
const timeout: TxtLookup = { kind: "unreachable", reason: "timeout", server: "192.0.2.53" };

describe("a domain name is stored as lower-case punycode", () => {
  const cases: [string, string][] = [
    ["go.example.com", "go.example.com"],
    ["  Go.Example.COM \n", "go.example.com"],
    ["example.com.", "example.com"],
    ["münchen.de", "xn--mnchen-3ya.de"],
    ["BÜCHER.example", "xn--bcher-kva.example"],
    ["faß.de", "xn--fa-hia.de"],
    ["日本。jp", "xn--wgv71a.jp"],
    ["日本.jp。", "xn--wgv71a.jp"],
    ["xn--mnchen-3ya.de", "xn--mnchen-3ya.de"],
    ["a-b--c.example", "a-b--c.example"],
    ["3com.example", "3com.example"],
    ["1.2.3.4.in-addr.arpa", "1.2.3.4.in-addr.arpa"],
    ["wwww.example", "wwww.example"],
    [`${"a".repeat(63)}.com`, `${"a".repeat(63)}.com`],
    [`${longHost(slugCharactersMax)}.`, longHost(slugCharactersMax)],
  ];
  test.each(cases)("%j is %s", (input, expected) => {
    const reading = normalizeSlug(input);

    expect(reading).toEqual({ kind: "slug", slug: expected });
  });

  test("reading a slug again changes nothing", () => {
    const readings = cases.map(([, expected]) => normalizeSlug(expected));

    expect(readings).toEqual(cases.map(([, expected]) => ({ kind: "slug", slug: expected })));
  });
});

describe("an invalid domain name is refused with the reason", () => {
  const cases: [string, string][] = [
    ["", "is empty"],
    ["   ", "is empty"],
    [".", "is empty|dot|characters"],
    ["https://example.com", "scheme"],
    ["example.com/path", "path"],
    ["example.com?a=b", "path or query"],
    ["example.com#a", "path or query"],
    ["example\\.com", "path"],
    ["example.com:8080", "port"],
    ["me@example.com", "@"],
    ["exam ple.com", "space"],
    ["ex%61mple.com", "percent"],
    ["*.example.com", "characters"],
    ["exa\u0000mple.com", "characters"],
    ["a<b.com", "characters"],
    ["xn--zzzz---.com", "characters"],
    ["localhost", "no dot"],
    ["com.", "no dot"],
    ["a..example.com", "dots"],
    [".example.com", "dot"],
    ["example.com..", "dot"],
    ["_waypost.example.com", "underscore"],
    ["-go.example.com", "hyphen"],
    ["go-.example.com", "hyphen"],
    ["go.example.com-", "hyphen"],
    ["example.123", "number"],
    ["example.0x1f", "number"],
    ["192.0.2.1", "number"],
    ["192.0.2.1.", "number"],
    ["3221225985", "number"],
    ["１９２.0.2.1", "number"],
    ["192.0.2.１", "number"],
    ["2001:db8::1", "number"],
    ["[2001:db8::1]", "number"],
    ["www.example.com", "www"],
    ["WWW.example.com", "www"],
    [`${"a".repeat(64)}.com`, "63 characters"],
    [longHost(slugCharactersMax + 1), "190 characters"],
    [`${"müöä.".repeat(34)}de`, "190 characters"],
    ["a".repeat(100_000), "190 characters"],
  ];
  test.each(cases)("%j: %s", (input, reason) => {
    const reading = normalizeSlug(input);

    expect(reading).toEqual({ kind: "refused", reason: expect.stringMatching(new RegExp(reason)) });
  });
});

describe("the instance's own domain can be any host, without its port", () => {
  const cases: [string, string][] = [
    ["http://localhost:3000", "localhost"],
    ["http://192.0.2.1:3000/", "192.0.2.1"],
    ["http://[::1]:3000", "[::1]"],
    ["https://GO.Example.com.", "go.example.com"],
    ["https://www.münchen.de", "www.xn--mnchen-3ya.de"],
    ["http://link_service:3000", "link_service"],
  ];
  test.each(cases)("%s is %s", (url, expected) => {
    expect(instanceSlug(new URL(url))).toBe(expected);
  });
});

test("a domain answers its name and www. before it; the instance's domain only its name", () => {
  expect(hostNamesOf({ slug: "example.com", isInstance: 0 })).toEqual(["example.com", "www.example.com"]);
  expect(hostNamesOf({ slug: "links.example.net", isInstance: 1 })).toEqual(["links.example.net"]);
  expect(["www.example.com", "example.com"].map(withoutWww)).toEqual(["example.com", undefined]);
});

test("the ownership record stands below the domain and holds the workspace's token", () => {
  const record = ownershipRecord("xn--mnchen-3ya.de", "t0ken");

  expect(record).toEqual({ name: "_waypost.xn--mnchen-3ya.de", type: "TXT", value: "waypost-verify=t0ken" });
});

describe("a check moves a domain between its states", () => {
  type Row = [status: DomainStatus, failingDays: number | null, TxtLookup, next: DomainStatus, nextDays: number | null];
  const cases: Row[] = [
    ["pending", null, proof, "verified", null],
    ["pending", null, wrong, "pending", null],
    ["pending", null, empty, "pending", null],
    ["pending", null, nxdomain, "pending", null],
    ["pending", null, timeout, "pending", null],
    ["verified", null, proof, "verified", null],
    ["verified", null, wrong, "failing", 0],
    ["verified", null, empty, "failing", 0],
    ["verified", null, nxdomain, "failing", 0],
    ["verified", null, timeout, "verified", null],
    ["failing", 3, proof, "verified", null],
    ["failing", 3, wrong, "failing", 3],
    ["failing", 3, nxdomain, "failing", 3],
    ["failing", 3, timeout, "failing", 3],
    ["failing", 7, proof, "verified", null],
    ["failing", 7, empty, "pending", null],
    ["failing", 8, wrong, "pending", null],
    ["failing", 8, timeout, "failing", 8],
    // The domain began to fail while the clock was ahead.
    ["failing", -365, wrong, "failing", 0],
  ];
  test.each(cases)("%s (%p days) with %j is %s (%p days)", (status, failingDays, lookup, next, nextDays) => {
    const verdict = judge(claim(status, failingDays), lookup, now);

    expect({ status: verdict.status, failingSince: verdict.failingSince }).toEqual({
      status: next,
      failingSince: daysAgo(nextDays),
    });
    expect(verdict.success).toBe(lookup === proof);
  });
});

describe("only the exact value proves ownership", () => {
  const cases: [string[], boolean][] = [
    [["waypost-verify=t0ken"], true],
    [[" waypost-verify=t0ken "], true],
    [["a", "b", "c", "d", "waypost-verify=t0ken"], true],
    [["waypost-verify=T0KEN"], false],
    [["waypost-verify=t0ken2"], false],
    [["xwaypost-verify=t0ken"], false],
    [["t0ken"], false],
    [["waypost-verify=", "t0ken"], false],
    [[], false],
  ];
  test.each(cases)("%j: %p", (records, expected) => {
    const verdict = judge(claim("pending", null), { kind: "found", records }, now);

    expect(verdict.success).toBe(expected);
  });
});

describe("the message names the expected record and what was found", () => {
  const expectation = "Expected a TXT record at _waypost.go.example.com with the value waypost-verify=t0ken, but";
  const cases: [DomainClaim, TxtLookup, string][] = [
    [claim("pending", null), nxdomain, `${expectation} this name does not exist.`],
    [claim("pending", null), empty, `${expectation} found no TXT record there.`],
    [claim("pending", null), wrong, `${expectation} found "waypost-verify=other".`],
    [
      claim("verified", null),
      empty,
      `${expectation} found no TXT record there. Its links redirect until 2026-11-27T00:00:00.000Z.`,
    ],
    [
      claim("failing", 7),
      empty,
      `${expectation} found no TXT record there. It has been missing for 7 days, so the domain is pending again and its links no longer redirect.`,
    ],
    [
      claim("verified", null),
      timeout,
      `${expectation} the check failed: no DNS server answered in time. Nothing was changed; try again later.`,
    ],
    [claim("pending", null), proof, "go.example.com is verified: its TXT record was found at _waypost.go.example.com."],
  ];
  test.each(cases)("%j with %j", (domain, lookup, message) => {
    expect(judge(domain, lookup, now).message).toBe(message);
  });

  test("found values are cut and made printable", () => {
    const records = ["a".repeat(100_000), "tab\tred\u001b[31m\u202e\nübel", "c", "d", "e"];

    const { message } = judge(claim("pending", null), { kind: "found", records }, now);

    expect(message).toBe(`${expectation} found "${"a".repeat(80)}...", "tab?red?[31m???bel", "c" and 2 more.`);
  });

  test("the message does not show the resolver's address", () => {
    expect(judge(claim("pending", null), timeout, now).message).not.toContain("192.0.2.53");
  });
});

describe("links work while the domain is verified, and for 7 days of failing", () => {
  const cases: [DomainStatus, number | null, boolean][] = [
    ["pending", null, false],
    ["verified", null, true],
    ["failing", now, true],
    ["failing", now - failingGraceMs + 1, true],
    ["failing", now - failingGraceMs, false],
    ["failing", now - 30 * dayMs, false],
  ];
  test.each(cases)("%s since %p: %p", (status, failingSince, expected) => {
    expect(linksWork({ status, failingSince }, now)).toBe(expected);
  });
});

function claim(status: DomainStatus, failingDays: number | null): DomainClaim {
  return { slug, token, status, failingSince: daysAgo(failingDays) };
}

function daysAgo(days: number | null): number | null {
  return days === null ? null : now - days * dayMs;
}

function longHost(length: number): string {
  const label = `${"a".repeat(49)}.`;
  return `${label.repeat(3)}${"b".repeat(length - 3 * label.length - 4)}.com`;
}
