import { expect, test } from "bun:test";
import { matchReason } from "./match-reason.ts";

const link = {
  title: "Spring sale",
  shortLink: "https://go.example/spring",
  url: "https://shop.example/sale",
  comments: "Ask Nora from the print shop before you change it",
  tags: [{ name: "Newsletter" }],
};

test("a search that a result shows needs no reason", () => {
  expect(["spring", "SHOP.example", "go.example/spring"].map((text) => matchReason(link, text, "Letters"))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("a search that matched a tag, the folder or a comment names it", () => {
  expect(matchReason(link, " newsl", "Letters")).toEqual({ kind: "tag", text: "Newsletter" });
  expect(matchReason(link, "letters", "Letters")).toEqual({ kind: "folder", text: "Letters" });
  expect(matchReason(link, "nora", undefined)).toEqual({ kind: "comment", text: link.comments });
  expect(matchReason(link, "before", undefined)).toEqual({
    kind: "comment",
    text: "…from the print shop before you change it",
  });
});
