/**
 * Redirects per second of one core for links with ten rules, most of them by country, against links without rules: two
 * instances with 10,000 links each, in turns, with the other instance paused.
 *
 *   npm run benchmark:redirect:rules            five rounds of six seconds
 *   npm run benchmark:redirect:rules -- --quick one short round, only to check that it works
 */
import { type Rule, readRules } from "../src/links/link-rules.ts";
import { keyOf, uniformPicks } from "./support/links.ts";
import { Bench, connections, printRatios, printSubjects, readOptions, startFilled } from "./support/rounds.ts";
import { type BenchmarkServer, pinApart } from "./support/servers.ts";

const { quick } = readOptions({});
const linksCount = 10_000;
const rounds = quick ? 1 : 5;
const round = { connections, warmUpSeconds: 1, seconds: quick ? 2 : 6 };
const picks = uniformPicks(linksCount, 1_000_000);

/** An address in the United States, which only the last rule matches. */
const american = "8.8.8.8";
const lastUrl = "https://example.com/rules/north-america";
const conditions: Rule["when"][] = [
  { country: ["JP", "KR"], device: "Mobile" },
  { country: "BR" },
  { country: ["DE", "AT", "CH"], language: "de" },
  { country: "FR", os: "iOS" },
  { query: { campaign: "spring" } },
  { country: ["IN", "PK"], browser: "Firefox" },
  { continent: "AF", device: "Tablet" },
  { after: Date.UTC(2100, 0, 1) },
  { country: ["AU", "NZ"], language: "en" },
];
const rules = readRules(
  [
    ...conditions.map((when, index) => ({ when, url: `https://example.com/rules/${index}` })),
    { when: { country: ["US", "CA"] }, url: lastUrl },
  ],
  [],
);

const bench = new Bench();
try {
  const plain = bench.add("plain", await start({ count: linksCount }), picks);
  const ruledServer = await start({ count: linksCount, ...(typeof rules === "string" ? { rules } : {}) });
  await assertFollowsRules(ruledServer);
  const ruled = bench.add("ten rules", ruledServer, picks);
  for (const subject of [plain, ruled]) await bench.measure(subject, { ...round, seconds: 1 });
  const results = await bench.inTurns([plain, ruled], rounds, (subject) => bench.measure(subject, round));
  printSubjects(results);
  printRatios("ratio of a link with ten rules to a plain one", results, { of: ruled, to: plain });
} finally {
  await bench.end();
}

async function start(links: Parameters<typeof startFilled>[1]): Promise<BenchmarkServer> {
  const server = await startFilled(bench.folder(), links);
  pinApart(server);
  return server;
}

/** Checks that the server applies the rules; ignored rules would be fast. */
async function assertFollowsRules({ port }: BenchmarkServer): Promise<void> {
  const headers = { "X-Forwarded-For": american, Host: "localhost" };
  const answer = await fetch(`http://127.0.0.1:${port}/${keyOf(0)}`, { headers, redirect: "manual" });
  const location = answer.headers.get("location");
  if (location !== lastUrl) throw new Error(`The server ignores the rules: ${location} instead of ${lastUrl}.`);
}
