import { describe, expect, test } from "bun:test";
import { readColor } from "./color.ts";

describe("a color", () => {
  test.each([
    ["#000000", [0, 0, 0, 255]],
    ["#fFf", [255, 255, 255, 255]],
    ["1a2B3c", [26, 43, 60, 255]],
    ["#1a2b3c80", [26, 43, 60, 128]],
    ["#ffffff00", [255, 255, 255, 0]],
  ])("%s is read", (text, [red = 0, green = 0, blue = 0, alpha = 0]) => {
    expect(readColor(text)).toEqual({ red, green, blue, alpha });
  });

  test.each(["", "#", "#12", "#1234", "#12345", "#1234567", "red", "#ggg", "##fff", "#fff\n", "rgb(0,0,0)"])(
    "%j is refused",
    (text) => {
      expect(readColor(text)).toBeUndefined();
    },
  );
});
