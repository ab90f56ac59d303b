import { expect, test } from "bun:test";
import { compareRecords } from "./dns-comparison.ts";

test("the expected record comes before other records of its name", () => {
  const record = { type: "TXT", name: "_waypost.go.example.com", ttlSeconds: 300, server: "192.0.2.53" } as const;
  const other = { ...record, value: "something else" };
  const right = { ...record, value: " waypost-verify=4f2n " };

  expect(compareRecords({ value: "waypost-verify=4f2n" }, [other, right])).toEqual([
    { record: right, as: "right" },
    { record: other, as: "wrong" },
  ]);
});
