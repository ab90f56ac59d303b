import { expect, test } from "bun:test";
import { readWelcomeSearch } from "./welcome-search.ts";

test("a link id means that the link is created; anything else means the first step", () => {
  const read = [{}, { step: "link", link: "link_01A" }, { link: "../x" }, { link: 1 }].map(readWelcomeSearch);

  expect(read).toEqual([{}, { link: "link_01A" }, {}, {}]);
});

test("hasOwnKey is kept only together with a link", () => {
  const read = [{ link: "link_01A", hasOwnKey: true }, { link: "link_01A", hasOwnKey: "x" }, { hasOwnKey: true }].map(
    readWelcomeSearch,
  );

  expect(read).toEqual([{ link: "link_01A", hasOwnKey: true }, { link: "link_01A" }, {}]);
});
