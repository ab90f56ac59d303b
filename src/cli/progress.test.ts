import { expect, jest, spyOn, test } from "bun:test";
import { Progress } from "./progress.ts";

test("no line is printed before the first item, nor for work without items", () => {
  const output = spyOn(process.stderr, "write").mockImplementation(() => true);
  const clock = spyOn(performance, "now").mockReturnValue(0);
  try {
    const [some, none] = [new Progress("links", 1_000), new Progress("links", 0)];
    clock.mockReturnValue(60_000);

    some.advance(0);
    none.advance(0);
    some.advance(600);

    expect(output.mock.calls.map(([line]) => line)).toEqual([
      expect.stringContaining("60%  600 links, 10 per second, 40 s left"),
    ]);
  } finally {
    jest.restoreAllMocks();
  }
});
