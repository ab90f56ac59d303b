import { expect, test } from "bun:test";
import { en } from "../texts/en/en.ts";
import { draftFields, fieldLabel, fieldsWithErrors, holdsInstant, linkFields, sectionOf } from "./link-fields.ts";

test("the history labels the fields of a change, and tags by the name that they have in a response", () => {
  expect(["comments", "disabledAt", "utm_term", "tags", "updatedAt"].map((name) => fieldLabel(name, en.links))).toEqual(
    [en.links.editor.comments, en.links.list.disabled, en.links.utm.fields.utm_term, en.links.filters.tags, undefined],
  );
});

test("the draft holds each field that the editor shows, except those that are a part of the URL", () => {
  const others = Object.keys(linkFields).filter((name) => !draftFields.some((field) => field === name));

  expect(others.filter((name) => !name.startsWith("utm_")).sort()).toEqual([
    "disabledAt",
    "partnerId",
    "programId",
    "publicStats",
  ]);
});

test("an error belongs to the section of its field, or to the form when no control shows it", () => {
  expect(["geo", "ref", "utm_source", "programId", "unknown"].map(sectionOf)).toEqual([
    "targets",
    "utm",
    "utm",
    "none",
    undefined,
  ]);
  expect(["geo", "utm_source", "programId", "proxy"].filter((name) => fieldsWithErrors.includes(name))).toEqual([
    "geo",
    "utm_source",
  ]);
});

test("only fields that the table defines as instants are instants", () => {
  expect(["startsAt", "disabledAt", "comments", "constructor"].filter(holdsInstant)).toEqual([
    "startsAt",
    "disabledAt",
  ]);
});
