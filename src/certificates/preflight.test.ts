import { describe, expect, test } from "bun:test";
import type { HostNameReport } from "../domains/report-dns.ts";
import { preflightFailureOf } from "./preflight.ts";

const record = { type: "A", name: "go.example.com", value: "192.0.2.1", ttlSeconds: 60, server: "192.0.2.53" } as const;
const report: HostNameReport = {
  name: "go.example.com",
  routing: { expected: [record], found: [record], conflicts: [], matches: true },
  certificate: { found: [], allowedIssuers: null },
  failedLookups: [],
};
const allowing = (...allowedIssuers: string[]) => ({ ...report, certificate: { found: [], allowedIssuers } });

describe("an order is not stopped", () => {
  test.each([
    ["without CAA records", report],
    ["by a CAA record for the authority", allowing("other.example", "ca.example")],
    [
      "by CAA records that only our resolver cannot read",
      { ...report, failedLookups: [{ type: "CAA" as const, name: "example.com", reason: "timeout" as const }] },
    ],
  ])("%s", (_, given) => {
    expect(preflightFailureOf(given, ["ca.example"])).toBeUndefined();
  });

  test("by CAA records when the authority publishes no names for them", () => {
    expect(preflightFailureOf(allowing("other.example"), null)).toBeUndefined();
  });
});

describe("an order is stopped", () => {
  const unrouted = { ...report.routing, found: [], matches: false };
  const misrouted = { ...report.routing, conflicts: [{ ...record, value: "198.51.100.7" }], matches: false };

  test.each([
    [
      "by a missing record",
      { ...report, routing: unrouted },
      "dns",
      "go.example.com has no DNS record that points to this server. It needs an A record with the value 192.0.2.1.",
    ],
    [
      "by a record of another server",
      { ...report, routing: misrouted },
      "dns",
      "go.example.com points to 198.51.100.7, not to this server. It needs an A record with the value 192.0.2.1.",
    ],
    [
      "by records that cannot be read",
      {
        ...report,
        routing: unrouted,
        failedLookups: [{ type: "A" as const, name: "go.example.com", reason: "timeout" as const }],
      },
      "dns",
      "The DNS records of go.example.com could not be read (timeout).",
    ],
    [
      "by a CAA record for others",
      allowing("other.example"),
      "caa",
      "A CAA record of go.example.com allows only other.example. Add one for ca.example, or remove it.",
    ],
    [
      "by a CAA record for nobody",
      allowing(),
      "caa",
      "A CAA record of go.example.com allows no authority. Add one for ca.example, or remove it.",
    ],
    [
      "by CAA records that the name server refuses to tell",
      { ...report, failedLookups: [{ type: "CAA" as const, name: "example.com", reason: "servfail" as const }] },
      "caa",
      "The CAA records of example.com could not be read (servfail).",
    ],
  ] satisfies [string, HostNameReport, "dns" | "caa", string][])("%s", (_, given, kind, text) => {
    expect(preflightFailureOf(given, ["ca.example"])).toEqual({ kind, text });
  });
});
