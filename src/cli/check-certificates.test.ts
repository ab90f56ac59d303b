import { expect, test } from "bun:test";
import { certificatesResult } from "./check-certificates.ts";

const valid = { name: "a.example.com", state: "valid", notAfter: "2027-03-01T00:00:00.000Z", problem: null } as const;
const waiting = { name: "b.example.com", state: "waiting", notAfter: null, problem: "No record." } as const;

test("doctor's check of certificates passes while none failed or expired, and names the first expiry", () => {
  const sooner = { ...valid, name: "c.example.com", notAfter: "2027-01-01T00:00:00.000Z" };

  expect(certificatesResult([])).toMatchObject({ ok: true, detail: "none has been ordered" });
  expect(certificatesResult([valid, waiting, sooner])).toMatchObject({
    ok: true,
    detail: "2 valid; the first expires 2027-01-01T00:00:00.000Z",
  });
});

test("doctor's check of certificates fails and names three at most that failed or expired", () => {
  const failed = (name: string) => ({ name, state: "failed", notAfter: null, problem: "Refused." }) as const;
  const expired = { ...valid, name: "x.example.com", state: "expired" } as const;

  const { ok, detail } = certificatesResult([valid, expired, failed("f1.com"), failed("f2.com"), failed("f3.com")]);

  expect(ok).toBe(false);
  expect(detail).toStartWith("x.example.com (expired), f1.com (Refused.), f2.com (Refused.), and 1 more failed");
});
