import { expect, test } from "bun:test";
import { brandNamed, brandOfHost } from "./brands.ts";

test("a brand has the same icon by name, by host and by subdomain", () => {
  const icon = brandNamed("Instagram");

  expect(icon).toEqual({ kind: "file", icon: "instagram" });
  expect([brandOfHost("instagram.com"), brandOfHost("l.instagram.com")]).toEqual([icon, icon]);
  expect(brandOfHost("mail.google.com")).toEqual(brandNamed("Gmail"));
});

test.each(["example.org", "notinstagram.com", "instagram.com.example.org", "", "constructor"])(
  "%p has no icon of a brand",
  (text) => {
    expect([brandOfHost(text), brandNamed(text)]).toEqual([undefined, undefined]);
  },
);
