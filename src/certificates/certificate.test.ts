import { describe, expect, test } from "bun:test";
import { dayMs, hourMs, minuteMs } from "../base/time.ts";
import { certificateState, isCertifiable, renewalAt, retryPauseMs } from "./certificate.ts";

const row = { notAfter: null, orderUrl: null, problem: null, problemKind: null } as const;

describe("the state of a certificate", () => {
  test.each([
    ["ordering", row],
    ["waiting", { ...row, problemKind: "dns", problem: "No record." }],
    ["waiting", { ...row, problemKind: "caa", problem: "Forbidden." }],
    ["failed", { ...row, problemKind: "authority", problem: "Refused." }],
    ["valid", { ...row, notAfter: 11 }],
    ["renewalFailed", { ...row, notAfter: 11, problemKind: "dns", problem: "No record." }],
    ["expired", { ...row, notAfter: 10 }],
  ] as const)("is %s for %j", (state, columns) => {
    expect(certificateState(columns, 10)).toBe(state);
  });
});

describe("the pause after a failure", () => {
  test("triples up to a day", () => {
    const pauses = [1, 2, 3, 6, 100].map((failures) => retryPauseMs("authority", failures, 0.5));

    expect(pauses).toEqual([5 * minuteMs, 15 * minuteMs, 45 * minuteMs, 1215 * minuteMs, dayMs]);
  });

  test("is at most six hours while DNS does not route here", () => {
    expect(retryPauseMs("dns", 2, 0.5)).toBe(7.5 * minuteMs);
    expect(retryPauseMs("caa", 100, 0.5)).toBe(6 * hourMs);
  });

  test("varies by a tenth", () => {
    expect(retryPauseMs("authority", 1, 0)).toBe(4.5 * minuteMs);
    expect(retryPauseMs("authority", 1, 1)).toBe(5.5 * minuteMs);
  });
});

test("a certificate is renewed when a third of its lifetime remains, and up to a twentieth earlier", () => {
  const lifetime = { notBefore: 0, notAfter: 90 * dayMs };

  expect(renewalAt(lifetime, 0)).toBe(60 * dayMs);
  expect(renewalAt(lifetime, 1)).toBe(55.5 * dayMs);
});

test.each([
  ["go.example.com", true],
  ["xn--bcher-kva.example", true],
  ["localhost", false],
  ["app.localhost", false],
  ["192.0.2.1", false],
  ["[::1]", false],
  ["dom_01jd4x0q3m8y7rz5v2k6t9w1ab", false],
  ["-a.example.com", false],
])("%s is certifiable: %p", (name, expected) => {
  expect(isCertifiable(name)).toBe(expected);
});
