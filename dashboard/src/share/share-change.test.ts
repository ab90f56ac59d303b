import { expect, test } from "bun:test";
import { localTime } from "../base/local-time.ts";
import { shareChangeOf } from "./share-change.ts";

const expiresAt = "2027-01-31T12:00:59.000Z";
const share = { name: "For the agency", hasPassword: true, expiresAt };
const same = { name: "For the agency", password: "", expiresAt: localTime(expiresAt) };

test("what was not touched is not sent, the seconds of an end neither", () => {
  expect(shareChangeOf(share, same, true)).toEqual({});
});

test("a title, an end and a password are taken away by what is empty, or not asked for", () => {
  expect(shareChangeOf(share, { ...same, name: " ", expiresAt: "" }, false)).toEqual({
    name: null,
    password: null,
    expiresAt: null,
  });
});

test("another password replaces the one there is, and is the first where there is none", () => {
  const wanted = { ...same, password: "another one" };

  expect(shareChangeOf(share, wanted, true)).toEqual({ password: "another one" });
  expect(shareChangeOf({ ...share, hasPassword: false }, wanted, false)).toEqual({ password: "another one" });
});
