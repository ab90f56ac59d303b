import { expect, test } from "bun:test";
import { colorProblem, parseStyle, usualStyle } from "./qr-style.ts";

test.each([
  ["#000000", "#ffffff", undefined],
  ["#1d4ed8", "#ffffff", undefined],
  ["#ffff00", "#ffffff", "pale"],
  ["#808080", "#ffffff", "pale"],
  ["#ffffff", "#000000", "inverted"],
] as const)("%s on %s: %s", (color, background, problem) => {
  expect(colorProblem({ color, background })).toBe(problem);
});

test("a stored style is read; missing and invalid parts are the usual ones", () => {
  const style = { ...usualStyle, color: "#123456", dots: "dots", frame: "badge", frameText: "Go" } as const;

  const read = [JSON.stringify(style), "", "[1]", "null", '{"color":"red","dots":"x","corners":"circle"}'];

  expect(read.map(parseStyle)).toEqual([
    style,
    usualStyle,
    usualStyle,
    usualStyle,
    { ...usualStyle, corners: "circle" },
  ]);
});
