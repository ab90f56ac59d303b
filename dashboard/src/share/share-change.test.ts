import { expect, test } from "bun:test";
import { localTime } from "../base/local-time.ts";
import { shareChangeOf } from "./share-change.ts";

const expiresAt = "2027-01-31T12:00:59.000Z";
const share = { name: "For the agency", hasPassword: true, expiresAt };
const same = { name: "For the agency", password: "", expiresAt: localTime(expiresAt) };

test("unchanged fields are not sent, even when the end has seconds", () => {
  expect(shareChangeOf(share, same, true)).toEqual({});
});

test("an empty title or end and a disabled password are removed", () => {
  expect(shareChangeOf(share, { ...same, name: " ", expiresAt: "" }, false)).toEqual({
    name: null,
    password: null,
    expiresAt: null,
  });
});

test("an end without a time is the end of that day", () => {
  const end = new Date("2027-03-01T00:00").toISOString();

  expect(shareChangeOf(share, { ...same, expiresAt: "2027-02-28" }, true)).toEqual({ expiresAt: end });
  expect(shareChangeOf({ ...share, expiresAt: end }, { ...same, expiresAt: "2027-02-28" }, true)).toEqual({});
});

test("a new password replaces the current one, or is added", () => {
  const draft = { ...same, password: "another one" };

  expect(shareChangeOf(share, draft, true)).toEqual({ password: "another one" });
  expect(shareChangeOf({ ...share, hasPassword: false }, draft, false)).toEqual({ password: "another one" });
});
