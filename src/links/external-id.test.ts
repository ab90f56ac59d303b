import { expect, test } from "bun:test";
import { externalIdOf } from "./external-id.ts";

test("ext_ marks an externalId", () => {
  expect(externalIdOf("ext_a_1")).toBe("a_1");
  expect(externalIdOf("link_1")).toBeUndefined();
});
