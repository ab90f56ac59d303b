import { expect, test } from "bun:test";
import { brandNamed, brandOfHost } from "./brands.ts";

test("a brand has the same icon by name, by host and by subdomain", () => {
  const icon = brandNamed("Instagram");

  expect(icon).toMatchObject({ path: expect.stringMatching(/^M/) });
  expect([brandOfHost("instagram.com"), brandOfHost("l.instagram.com")]).toEqual([icon, icon]);
  expect(brandOfHost("mail.google.com")).toEqual(brandNamed("Gmail"));
});

test.each(["example.org", "notinstagram.com", "instagram.com.example.org", "", "constructor"])(
  "%p has no icon of a brand",
  (text) => {
    expect([brandOfHost(text), brandNamed(text)]).toEqual([undefined, undefined]);
  },
);

test("black and very bright icons have the color of text, so that both themes show them", () => {
  expect([brandNamed("GitHub")?.color, brandNamed("Snapchat")?.color, brandNamed("Reddit")?.color]).toEqual([
    undefined,
    undefined,
    "#FF4500",
  ]);
});
