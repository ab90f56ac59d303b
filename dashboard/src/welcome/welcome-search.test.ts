import { expect, test } from "bun:test";
import { readWelcomeSearch } from "./welcome-search.ts";

test("a link id means the last step; an invalid step means the first", () => {
  const read = [{ step: "link" }, { step: "link", link: "link_01A" }, { step: "x" }, { link: "../x" }].map(
    readWelcomeSearch,
  );

  expect(read).toEqual([{ step: "link" }, { link: "link_01A" }, {}, {}]);
});

test("hasOwnKey is kept only together with a link", () => {
  const read = [
    { link: "link_01A", hasOwnKey: true },
    { link: "link_01A", hasOwnKey: "x" },
    { step: "link", hasOwnKey: true },
  ].map(readWelcomeSearch);

  expect(read).toEqual([{ link: "link_01A", hasOwnKey: true }, { link: "link_01A" }, { step: "link" }]);
});
