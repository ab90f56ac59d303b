import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { parseAgent } from "./agent.ts";
import { botKind, requestBotKind } from "./bots.ts";

test("real user agents have the kind of bot determined by hand, and humans have none", () => {
  const rows = readFileSync(new URL("../../tests/fixtures/agents.tsv", import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  const expected = rows.slice(1).map((line) => {
    const columns = line.split("\t");
    return { agent: columns[0] ?? "", bot: columns[4] ?? "" };
  });

  const found = expected.map((row): typeof row => ({ agent: row.agent, bot: botKind(row.agent) }));

  expect(found).toEqual(expected);
});

test.each(["", " ", "\t"])("a request without a user agent is from a tool: %j", (agent) => {
  expect(botKind(agent)).toBe("tool");
});

const human = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";

test.each([
  ["search", `${human} (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`],
  ["preview", `${human} facebookexternalhit/1.1 Facebot Twitterbot/1.0`],
  ["ai", `${human} (compatible; GPTBot/1.2; +https://openai.com/gptbot)`],
  ["monitor", `${human} (StatusCake)`],
  ["tool", `${human} (compatible; SomeNewBot/1.0)`],
  ["prefetch", "Chrome Privacy Preserving Prefetch Proxy"],
  ["", human],
  ["", `${human} Mobile/15E148 [LinkedInApp]/9.32.2485`],
  ["", `${human} Mobile/15E148 [Pinterest/iOS]`],
])("a bot with a browser's user agent keeps its kind: %j in %s", (kind, agent) => {
  expect<string>(botKind(agent)).toBe(kind);
});

test.each([
  ["head", "HEAD", null, null],
  ["head", "head", "prefetch", null],
  ["prefetch", "GET", "prefetch", null],
  ["prefetch", "GET", "prefetch;prerender", null],
  ["prefetch", "GET", "prefetch;anonymous-client-ip", null],
  ["prefetch", "GET", "Prefetch", null],
  ["prefetch", "GET", null, "prefetch"],
  ["prefetch", "GET", null, "preview"],
  ["prefetch", "GET", "", "prefetch"],
  ["", "GET", null, null],
  ["", "GET", "", ""],
  ["", "GET", "navigate", "unprefetched"],
  ["", "POST", null, null],
])("a request is of kind %j: %s with Sec-Purpose %j and Purpose %j", (kind, method, secPurpose, purpose) => {
  expect<string>(requestBotKind({ method, secPurpose, purpose })).toBe(kind);
});

// A pattern that backtracks takes seconds for such a text; all patterns together take a hundredth of a second.
const classifyAllMsMax = 3_000;
test(
  "no text of 512 characters takes long to classify",
  () => {
    const pieces = [
      "a",
      " ",
      "1.",
      "(",
      "()",
      "(.:%",
      "- ",
      "a/1.1 ",
      "1_1",
      "/1.",
      "Android ",
      "Android; Mobile",
      "Macintosh; ",
      "(Macintosh; ",
      "CFNetwork",
      "like Gecko",
      "Version/1",
      "Mobile/1",
      "0:",
      "\u0000",
      "\ud800",
      "bot",
      "google/",
      "; AFTA",
      "Chrome/1 ",
      "Silk-Accelerated",
      "iPhone OS 1",
      "MSIE ",
      "Opera/",
      "Windows Phone ",
      "KFAA ",
    ];
    const starts = ["", "Mozilla/5.0 (", "Mozilla/5.0 (compatible; ", "Mozilla/5.0 (Linux; Android 10; "];

    for (const start of starts) {
      for (const piece of pieces) {
        const agent = (start + piece.repeat(512)).slice(0, 512);
        botKind(agent);
        parseAgent(agent);
      }
    }
  },
  classifyAllMsMax,
);
