import { expect, test } from "bun:test";
import { colorProblem, savedStyleOf, styleOf } from "./qr-style.ts";

test.each([
  ["#000000", "#ffffff", undefined],
  ["#1d4ed8", "#ffffff", undefined],
  ["#ffff00", "#ffffff", "pale"],
  ["#808080", "#ffffff", "pale"],
  ["#ffffff", "#000000", "inverted"],
] as const)("%s on %s: %s", (color, background, problem) => {
  expect(colorProblem({ color, background })).toBe(problem);
});

test("a style keeps every part when it is saved and read", () => {
  const shapes = { dots: "dots", corners: "circle", frame: "badge", frameText: "Go" } as const;
  const style = { ...shapes, color: "#123456", background: "#fedcba", hasLogo: false };

  const saved = savedStyleOf(style);

  expect(saved).toEqual({ ...shapes, fgColor: "#123456", bgColor: "#fedcba", hideLogo: true });
  expect(styleOf(saved)).toEqual(style);
});
