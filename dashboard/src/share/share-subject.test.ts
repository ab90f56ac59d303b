import { expect, test } from "bun:test";
import { subjectOf } from "./share-subject.ts";

test("a single link or folder can be shared, a link first", () => {
  expect(subjectOf({ linkId: "link_1" })).toEqual({ kind: "link", id: "link_1" });
  expect(subjectOf({ folderId: "fold_1", country: "DE" })).toEqual({ kind: "folder", id: "fold_1" });
  expect(subjectOf({ linkId: "link_1", folderId: "fold_1" })).toEqual({ kind: "link", id: "link_1" });
});

test("several links, and excluded ones, cannot be shared", () => {
  expect(subjectOf({})).toBeUndefined();
  expect(subjectOf({ linkId: "link_1,link_2" })).toBeUndefined();
  expect(subjectOf({ linkId: "-link_1" })).toBeUndefined();
  expect(subjectOf({ linkId: "link_1,link_2", folderId: "fold_1" })).toEqual({ kind: "folder", id: "fold_1" });
});
