import { expect, test } from "bun:test";
import { languagesOf } from "./accept-language.ts";

test.each([
  ["de", "de"],
  ["de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7", "de-de de en-us en"],
  ["en;q=0.5, fr;q=0.9, de;q=0.7", "fr de en"],
  ["en;q=0.5, fr;q=0.5, de", "de en fr"],
  ["en;q=0, fr", "fr"],
  ["en;q=0.0, fr;q=0.001", "fr"],
  ["zh-Hant-TW;q=1.0, zh;q=0.9", "zh-hant-tw zh"],
  ["es-419", "es-419"],
  ["EN-us", "en-us"],
  ["en,EN;q=0.5,en;q=0.1", "en"],
  ["\t de ;\tq=0.5 ,fr ", "fr de"],
  ["*", ""],
  ["*;q=0.5, de;q=0.1", "de"],
  ["", ""],
  [",,;,", ""],
  ["de;q=2, fr", "fr"],
  ["de;q=0.1234, fr", "fr"],
  ["de;q=-1, fr", "fr"],
  ["de;q=, fr", "de fr"],
  ["englishman-in-newyorkcity, fr", "fr"],
  ["de_DE, fr", "fr"],
  ["<script>, fr", "fr"],
])("the header %j asks for %j", (header, languages) => {
  expect(languagesOf(header).join(" ")).toBe(languages);
});

test("returns a bounded number of languages, and ignores the end of a long header", () => {
  const many = Array.from({ length: 40 }, (_, index) => `a${String.fromCharCode(97 + (index % 26))}`).join(",");
  const long = `de,${" ".repeat(300)},fr`;

  const found = { many: languagesOf(many).length, long: languagesOf(long) };

  expect(found).toEqual({ many: 16, long: ["de"] });
});

// A backtracking pattern would take minutes. All texts together are parsed in some milliseconds.
const parseAllMsMax = 3_000;
test(
  "no text takes long to parse",
  () => {
    for (const piece of ["a-", "a,", ";q=0", " ", "\t;", "aaaaaaaa-", "q=0.0"]) languagesOf(piece.repeat(100_000));
  },
  parseAllMsMax,
);
