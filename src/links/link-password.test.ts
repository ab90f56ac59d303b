import { expect, test } from "bun:test";
import { readPassword } from "./link-password.ts";

test("the password mask changes nothing, an empty password clears", () => {
  expect(readPassword("********")).toBeUndefined();
  expect(readPassword(undefined)).toBeUndefined();
  expect(readPassword("")).toBeNull();
  expect(readPassword(null)).toBeNull();
  expect(readPassword("secret")).toBe("secret");
  expect(() => readPassword("x".repeat(1_001))).toThrow("password");
});
