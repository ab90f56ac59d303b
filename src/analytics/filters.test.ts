import { expect, test } from "bun:test";
import { Problem } from "../base/problem.ts";
import { type FilterInput, filterValuesMax, parseBots, parseFilters } from "./filters.ts";

/** TABLE of filters as parameters and as parsed; "not" before the values means an exclusion. */
const cases: [FilterInput, string][] = [
  [{}, ""],
  [{ country: "de" }, "country DE"],
  [{ country: "US,CA" }, "country US|CA"],
  [{ country: "-us, ca ,," }, "country not US|CA"],
  [{ country: "Unknown,DE" }, "country |DE"],
  [{ country: "-unknown" }, "country not "],
  [{ country: " -us" }, "country not US"],
  [{ region: "us-ca" }, "region US-CA"],
  [{ region: "-us-ca" }, "region not US-CA"],
  [{ continent: "eu" }, "continent EU"],
  [{ city: "São Paulo" }, "city São Paulo"],
  [{ device: "mobile" }, "device Mobile"],
  [{ browser: "chrome,Firefox Focus" }, "browser Chrome|Firefox Focus"],
  [{ os: "ios,IOS,iOS" }, "os iOS|iOS|iOS"],
  [{ os: "macos,windows" }, "os macOS|Windows"],
  [{ language: "EN" }, "language en"],
  [{ trigger: "QR" }, "trigger qr"],
  [{ bot: "AI,search" }, "bot ai|search"],
  [{ bot: "-unknown" }, "bot not "],
  [{ qr: true }, "trigger qr"],
  [{ qr: false }, ""],
  [{ root: true }, "key _root"],
  [{ root: false }, "key not _root"],
  [{ referer: "(direct)" }, "referer "],
  [{ referer: "(Direct),News.Example" }, "referer |news.example"],
  [{ referer: "Unknown" }, "referer "],
  [{ refererUrl: "(direct)" }, "refererUrl "],
  [{ refererGroup: "(Direct),google,WHATSAPP" }, "refererGroup |Google|WhatsApp"],
  [{ refererGroup: "-l.instagram.com,News.Example" }, "refererGroup not Instagram|news.example"],
  [{ channel: "Search,ai" }, "channel search|ai"],
  [{ channels: "-direct,unknown" }, "channel not direct|"],
  [{ url: "https://example.com/a,b" }, "url https://example.com/a,b"],
  [{ url: "-https://example.com/a,b,https://example.com/c" }, "url not https://example.com/a,b|https://example.com/c"],
  [
    { baseUrl: "-https://example.com/a?b#c,https://example.com/d" },
    "baseUrl not https://example.com/a|https://example.com/d",
  ],
  [
    { refererUrl: "https://example.com/a,Unknown ,https://example.com/b" },
    "refererUrl https://example.com/a||https://example.com/b",
  ],
  [{ refererUrl: "https://example.com/a,(direct)" }, "refererUrl https://example.com/a|"],
  [{ utm_source: "Mail,'; DROP TABLE clicks; --" }, "utm_source Mail|'; DROP TABLE clicks; --"],
  [{ country: "DE", os: "-ios" }, "country DE; os not iOS"],
  [{ countries: "-us,ca", browsers: "chrome" }, "country not US|CA; browser Chrome"],
];

test.each(cases)("%j is parsed as: %s", (input, expected) => {
  const filters = parseFilters(input);

  const shown = filters.map(
    ({ dimension, values, isExcluded }) => `${dimension} ${isExcluded ? "not " : ""}${values.join("|")}`,
  );
  expect(shown.join("; ")).toBe(expected);
});

test.each(["", "-", ",", "-, ,"])("a filter without a value (%p) is refused, not ignored", (text) => {
  expect(refusal(() => parseFilters({ country: text }))).toStartWith("country: must have a value");
});

test.each([
  [{ country: "DE,UK" }, "country: must be ISO 3166-1 codes such as DE, or Unknown; for UK, use GB."],
  [{ countries: "Germny" }, "country: must be ISO 3166-1 codes such as DE, or Unknown; for Germny, use DE."],
  [{ country: "-XX" }, "country: must be ISO 3166-1 codes such as DE, or Unknown; XX is not one."],
])("the unknown country of %j is refused, with the nearest one", (input, message) => {
  expect(refusal(() => parseFilters(input))).toBe(message);
});

test("a filter given under both of its names is refused", () => {
  expect(refusal(() => parseFilters({ country: "DE", countries: "DE" }))).toBe(
    "countries: means the same as country; send only one of them.",
  );
});

test("a filter may have filterValuesMax values and no more", () => {
  const values = Array.from({ length: filterValuesMax }, (_, index) => `V${index}`);

  expect(parseFilters({ city: values.join(",") })[0]?.values).toEqual(values);
  expect(refusal(() => parseFilters({ city: [...values, "one more"].join(",") }))).toStartWith(
    "city: must have at most",
  );
});

test("bots are excluded by default", () => {
  const choices = [undefined, "exclude", "include", "only"].map((bots) => parseBots({ bots }));

  expect(choices).toEqual(["exclude", "exclude", "include", "only"]);
  expect(refusal(() => parseBots({ bots: "all" }))).toBe("bots: must be one of exclude, include, only.");
});

test("a filter that includes kinds of bots counts only bots; one that excludes kinds leaves `bots` as requested", () => {
  for (const bots of [undefined, "exclude", "include", "only"]) {
    expect(parseBots({ bots, bot: "ai" })).toBe("only");
    expect(parseBots({ bots, bot: "-ai" })).toBe(parseBots({ bots }));
    expect(parseBots({ bots, bot: " -ai" })).toBe(parseBots({ bots }));
  }
});

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem && error.code === "unprocessable_entity") return error.message;
    throw error;
  }
  return "nothing was refused";
}
