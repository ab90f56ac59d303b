import { expect, test } from "bun:test";
import { de } from "./de/de.ts";
import { en } from "./en/en.ts";
import { sessionLabel } from "./session-label.ts";
import { zh } from "./zh/zh.ts";

test.each([
  ["Chrome on Linux", ["Chrome on Linux", "Chrome unter Linux", "Linux 上的 Chrome"]],
  [
    "Samsung Internet on Android",
    ["Samsung Internet on Android", "Samsung Internet unter Android", "Android 上的 Samsung Internet"],
  ],
  ["Firefox", ["Firefox", "Firefox", "Firefox"]],
  ["Unknown browser", ["Unknown browser", "Unbekannter Browser", "未知浏览器"]],
])("names the browser of a session in each language: %s", (label, expected) => {
  expect([en, de, zh].map((texts) => sessionLabel(label, texts))).toEqual(expected);
});
