import { expect, test } from "bun:test";
import { type Domain, type DomainState, domainUrl, stateOf } from "./domain-state.ts";

const now = Date.parse("2026-11-20T12:00:00Z");
const domain: Domain = {
  ...{ id: "dom_1", slug: "go.example.com", verified: false, primary: false, archived: false },
  ...{ placeholder: null, expiredUrl: null, notFoundUrl: null, logo: null, assetLinks: null },
  ...{ appleAppSiteAssociation: null },
  ...{ createdAt: "2026-11-01T12:00:00Z", updatedAt: "2026-11-01T12:00:00Z" },
};

const cases: [string, Partial<Domain>, DomainState][] = [
  ["a new domain is pending", {}, { kind: "pending" }],
  ["a verified domain is verified", { verified: true }, { kind: "verified" }],
  ["the service's own domain needs no record", { verified: true, instance: true }, { kind: "instance" }],
  ["at first seven days are left", { failingUntil: "2026-11-27T11:59:50Z" }, { kind: "failing", daysLeft: 7 }],
  ["the days left are rounded", { failingUntil: "2026-11-26T11:00:00Z" }, { kind: "failing", daysLeft: 6 }],
  ["the last hours are 0 days", { failingUntil: "2026-11-21T11:00:00Z" }, { kind: "failing", daysLeft: 0 }],
  ["0 days are left after the deadline", { failingUntil: "2026-11-18T11:00:00Z" }, { kind: "failing", daysLeft: 0 }],
];

for (const [guarantee, changes, state] of cases) {
  test(guarantee, () => {
    expect(stateOf({ ...domain, ...changes }, now)).toEqual(state);
  });
}

test("the service's own domain uses the page's scheme and port, others use https", () => {
  const origin = "http://127.0.0.1:3000";

  expect(domainUrl(domain, origin)).toBe("https://go.example.com");
  expect(domainUrl({ ...domain, slug: "localhost", instance: true }, origin)).toBe("http://localhost:3000");
});
