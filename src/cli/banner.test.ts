import { expect, spyOn, test } from "bun:test";
import { readConfig } from "../config.ts";
import { printReadyBanner } from "./banner.ts";

test("a reader that waits for the line about being ready receives the text of a first start with it", () => {
  const written: string[] = [];
  const write = spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
  try {
    printReadyBanner(readConfig({}), 3000, { apiKey: undefined, setupToken: undefined, hasUserAlready: true });
  } finally {
    write.mockRestore();
  }

  expect(written).toEqual([
    expect.stringMatching(/^Waypost is ready at .* \(port 3000\)\.\nA user already exists, .*\n$/),
  ]);
});
