import { expect, test } from "bun:test";
import { subjectOf } from "./share-subject.ts";

test("one link or one folder can be shared, the link before the folder", () => {
  expect(subjectOf({ linkId: "link_1" })).toEqual({ kind: "link", id: "link_1" });
  expect(subjectOf({ folderId: "fold_1", country: "DE" })).toEqual({ kind: "folder", id: "fold_1" });
  expect(subjectOf({ linkId: "link_1", folderId: "fold_1" })).toEqual({ kind: "link", id: "link_1" });
});

test("several, and those left out, cannot", () => {
  expect(subjectOf({})).toBeUndefined();
  expect(subjectOf({ linkId: "link_1,link_2" })).toBeUndefined();
  expect(subjectOf({ linkId: "-link_1" })).toBeUndefined();
  expect(subjectOf({ linkId: "link_1,link_2", folderId: "fold_1" })).toEqual({ kind: "folder", id: "fold_1" });
});
