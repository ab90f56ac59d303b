import { expect, test } from "bun:test";
import { readWelcomeSearch } from "./welcome-search.ts";

test("a link is the last step, whatever else is said; what is no step is the first", () => {
  const read = [{ step: "link" }, { step: "link", link: "link_01A" }, { step: "x" }, { link: "../x" }].map(
    readWelcomeSearch,
  );

  expect(read).toEqual([{ step: "link" }, { link: "link_01A" }, {}, {}]);
});
