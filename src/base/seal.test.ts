import { describe, expect, test } from "bun:test";
import { openSeal } from "./seal.ts";

const secret = "a secret of more than 32 characters";

describe("a sealed text", () => {
  const sealed = openSeal(secret, "keys").seal("private", "row 1");

  test("opens with the same secret, purpose and identity", () => {
    expect(openSeal(secret, "keys").open(sealed, "row 1")).toBe("private");
  });

  test.each([
    ["another secret", openSeal(`${secret}.`, "keys"), "row 1"],
    ["another purpose", openSeal(secret, "mail"), "row 1"],
    ["another identity", openSeal(secret, "keys"), "row 2"],
  ])("does not open with %s", (_, seal, identity) => {
    expect(seal.open(sealed, identity)).toBeUndefined();
  });

  test("does not open when it is damaged, shortened or of another version", () => {
    const seal = openSeal(secret, "keys");
    const damaged = sealed.slice(0, -2) + (sealed.endsWith("A") ? "BB" : "AA");

    for (const text of [damaged, sealed.slice(0, 20), sealed.replace("v1.", "v2."), ""]) {
      expect(seal.open(text, "row 1")).toBeUndefined();
    }
  });

  test("differs each time", () => {
    expect(openSeal(secret, "keys").seal("private", "row 1")).not.toBe(sealed);
  });
});
