import { describe, expect, test } from "bun:test";
import { domainWith, type TestVisitor, targetWith, visitedAt, visitorWith } from "../../tests/support/link-targets.ts";
import type { RuleConditions } from "../links/link-rules.ts";
import type { Decision } from "./decision.ts";
import { decide, decideDeleted, decideUnknown, isPlainVisit } from "./destination.ts";
import type { LookupRow, RedirectLink } from "./lookup.ts";
import { VisitorAttributes } from "./visitor-attributes.ts";

const iphone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1";
const pixel =
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36";
const slackbot = "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)";
const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

/** A decision as a short text, which a failed comparison shows. */
function text(decision: Decision): string {
  switch (decision.kind) {
    case "destination":
      return `${decision.status} ${decision.url} ${sourceText(decision)}`;
    case "frame":
    case "preview":
      return `${decision.kind} ${decision.url} ${sourceText(decision)}`;
    case "fallback":
      return `${decision.page} ${decision.url}`;
    case "page":
      return `${decision.page} ${decision.status}`;
  }
}

function sourceText({ source }: Extract<Decision, { source: unknown }>): string {
  return Object.values(source).join(" ");
}

function ruled(...rules: [RuleConditions, string][]): Partial<LookupRow> {
  return { rules: JSON.stringify(rules.map(([when, name]) => ({ when, url: `https://example.com/${name}` }))) };
}

const variants = JSON.stringify([
  { url: "https://example.com/a", percentage: 50 },
  { url: "https://example.com/b", percentage: 50 },
]);
const tested = { testVariants: variants };
const to = "https://example.com/to";
type DecisionInput = TestVisitor & { rest?: string };

function decideFor(link: RedirectLink, { rest = "", ...visitor }: DecisionInput = {}, domain = domainWith()): Decision {
  return decide({ link, domain, rest }, visitorWith(visitor));
}

/** TABLE of links, visitors and expected decisions. Omitted values are those of link-targets.ts. */
const cases: [string, Partial<LookupRow>, DecisionInput, string][] = [
  ["a link that sets nothing", {}, {}, `302 ${to} url`],
  ["its own status", { redirectStatus: 308 }, {}, `308 ${to} url`],
  ["the query is passed on", { url: `${to}?a=1` }, { query: "?a=2&b=3&qr=1" }, `302 ${to}?a=2&b=3 url`],
  ["no url", { url: "" }, {}, "notFound 404"],

  ["disabled, even with expiredUrl", { disabledAt: 1, expiredUrl: to }, {}, "disabled 410"],
  ["disabled from later on", { disabledAt: visitedAt + 1 }, {}, `302 ${to} url`],
  ["disabled before expired", { disabledAt: 1, expiresAt: 1 }, {}, "disabled 410"],
  ["not started", { startsAt: visitedAt + 1 }, {}, "notStarted 410"],
  ["started this moment", { startsAt: visitedAt }, {}, `302 ${to} url`],
  ["expired this moment", { expiresAt: visitedAt }, {}, "expired 410"],
  ["expires the next moment", { expiresAt: visitedAt + 1 }, {}, `302 ${to} url`],
  [
    "expired, with expiredUrl",
    { expiresAt: 1, expiredUrl: "https://e.com" },
    { query: "?a=1" },
    "expired https://e.com/",
  ],
  ["used up", { maxClicks: 1 }, { isUsedUp: true }, "usedUp 410"],
  [
    "used up, with expiredUrl",
    { maxClicks: 1, expiredUrl: "https://e.com" },
    { isUsedUp: true },
    "usedUp https://e.com/",
  ],
  ["clicks are left", { maxClicks: 1 }, {}, `302 ${to} url`],
  ["no limit any more", {}, { isUsedUp: true }, `302 ${to} url`],
  ["locked", { passwordHash: "x" }, {}, "password 200"],
  ["unlocked", { passwordHash: "x" }, { isUnlocked: true, query: "?pw=1&a=1" }, `302 ${to}?a=1 url`],
  ["expired before locked", { passwordHash: "x", expiresAt: 1 }, {}, "expired 410"],
  ["used up before locked", { passwordHash: "x", maxClicks: 1 }, { isUsedUp: true }, "usedUp 410"],
  ["locked before rules", { passwordHash: "x", ...ruled([{ country: "DE" }, "r"]) }, {}, "password 200"],

  ["country", ruled([{ country: "DE" }, "r"]), {}, "302 https://example.com/r rule 0"],
  ["another country", ruled([{ country: "FR" }, "r"]), {}, `302 ${to} url`],
  ["one of several countries", ruled([{ country: ["FR", "DE"] }, "r"]), {}, "302 https://example.com/r rule 0"],
  ["an unknown country", ruled([{ country: "DE" }, "r"]), { place: { country: "" } }, `302 ${to} url`],
  ["region", ruled([{ region: "DE-BE" }, "r"]), {}, "302 https://example.com/r rule 0"],
  ["another region", ruled([{ region: "DE-BY" }, "r"]), {}, `302 ${to} url`],
  ["continent", ruled([{ continent: "EU" }, "r"]), {}, "302 https://example.com/r rule 0"],
  ["another continent", ruled([{ continent: "NA" }, "r"]), {}, `302 ${to} url`],
  ["device", ruled([{ device: "Desktop" }, "r"]), {}, "302 https://example.com/r rule 0"],
  ["another device", ruled([{ device: "Desktop" }, "r"]), { userAgent: iphone }, `302 ${to} url`],
  ["an unknown device", ruled([{ device: ["Desktop", "Mobile"] }, "r"]), { userAgent: "" }, `302 ${to} url`],
  ["system, in any case", ruled([{ os: "windows" }, "r"]), {}, "302 https://example.com/r rule 0"],
  ["browser", ruled([{ browser: ["Chrome", "Firefox"] }, "r"]), {}, "302 https://example.com/r rule 0"],
  [
    "language fits its regions",
    ruled([{ language: "de" }, "r"]),
    { acceptLanguage: "de-AT" },
    "302 https://example.com/r rule 0",
  ],
  [
    "a region of a language",
    ruled([{ language: "de-at" }, "r"]),
    { acceptLanguage: "de-AT" },
    "302 https://example.com/r rule 0",
  ],
  ["another region of it", ruled([{ language: "de-at" }, "r"]), { acceptLanguage: "de-CH,de;q=0.9" }, `302 ${to} url`],
  ["a language that begins alike", ruled([{ language: "de" }, "r"]), { acceptLanguage: "den" }, `302 ${to} url`],
  [
    "the language of most weight",
    ruled([{ language: "fr" }, "f"], [{ language: "de" }, "d"]),
    { acceptLanguage: "fr;q=0.4, de;q=0.8" },
    "302 https://example.com/d rule 1",
  ],
  ["a language of less weight", ruled([{ language: "en" }, "r"]), {}, `302 ${to} url`],
  ["a language of no weight", ruled([{ language: "en" }, "r"]), { acceptLanguage: "en;q=0" }, `302 ${to} url`],
  ["any language", ruled([{ language: "en" }, "r"]), { acceptLanguage: "*" }, `302 ${to} url`],
  ["no language", ruled([{ language: "en" }, "r"]), { acceptLanguage: "" }, `302 ${to} url`],
  [
    "parameter",
    ruled([{ query: { src: "mail" } }, "r"]),
    { query: "?src=mail" },
    "302 https://example.com/r?src=mail rule 0",
  ],
  [
    "one of its values",
    ruled([{ query: { src: "mail" } }, "r"]),
    { query: "?src=x&src=mail" },
    "302 https://example.com/r?src=x&src=mail rule 0",
  ],
  [
    "percent-encoded",
    ruled([{ query: { sö: "a b" } }, "r"]),
    { query: "?s%C3%B6=a+b" },
    "302 https://example.com/r?s%C3%B6=a+b rule 0",
  ],
  ["another value", ruled([{ query: { src: "mail" } }, "r"]), { query: "?src=Mail" }, `302 ${to}?src=Mail url`],
  ["all parameters", ruled([{ query: { a: "1", b: "2" } }, "r"]), { query: "?a=1" }, `302 ${to}?a=1 url`],
  ["no query", ruled([{ query: { a: "" } }, "r"]), {}, `302 ${to} url`],
  ["an empty value", ruled([{ query: { a: "" } }, "r"]), { query: "?a" }, "302 https://example.com/r?a= rule 0"],
  ["before", ruled([{ before: visitedAt + 1 }, "r"]), {}, "302 https://example.com/r rule 0"],
  ["not before", ruled([{ before: visitedAt }, "r"]), {}, `302 ${to} url`],
  ["after", ruled([{ after: visitedAt }, "r"]), {}, "302 https://example.com/r rule 0"],
  ["not after", ruled([{ after: visitedAt + 1 }, "r"]), {}, `302 ${to} url`],
  [
    "all conditions",
    ruled([{ country: "DE", os: "Windows", language: "de", before: visitedAt + 1 }, "r"]),
    {},
    "302 https://example.com/r rule 0",
  ],
  ["all conditions but one", ruled([{ country: "DE", os: "Windows", language: "fr" }, "r"]), {}, `302 ${to} url`],
  [
    "the first rule that fits",
    ruled([{ country: "FR" }, "1"], [{ continent: "EU" }, "2"], [{ country: "DE" }, "3"]),
    {},
    "302 https://example.com/2 rule 1",
  ],

  [
    "ios",
    { ios: "https://example.com/i", android: "https://example.com/a" },
    { userAgent: iphone },
    "302 https://example.com/i ios",
  ],
  [
    "android",
    { ios: "https://example.com/i", android: "https://example.com/a" },
    { userAgent: pixel },
    "302 https://example.com/a android",
  ],
  ["neither", { ios: "https://example.com/i", android: "https://example.com/a" }, {}, `302 ${to} url`],
  ["geo", { geo: '{"DE":"https://example.com/g"}' }, {}, "302 https://example.com/g geo DE"],
  ["geo of another country", { geo: '{"FR":"https://example.com/g"}' }, {}, `302 ${to} url`],
  [
    "a rule before ios",
    { ios: "https://example.com/i", ...ruled([{ country: "DE" }, "r"]) },
    { userAgent: iphone },
    "302 https://example.com/r rule 0",
  ],
  [
    "ios before geo",
    { ios: "https://example.com/i", geo: '{"DE":"https://example.com/g"}' },
    { userAgent: iphone },
    "302 https://example.com/i ios",
  ],
  ["geo before a test", { geo: '{"DE":"https://example.com/g"}', ...tested }, {}, "302 https://example.com/g geo DE"],
  ["a test", tested, {}, "302 https://example.com/a testVariant 0"],
  ["a test's other visitor", tested, { address: "203.0.113.13" }, "302 https://example.com/b testVariant 1"],
  [
    "a test that begins this moment",
    { ...tested, testStartedAt: visitedAt },
    {},
    "302 https://example.com/a testVariant 0",
  ],
  ["a test not begun", { ...tested, testStartedAt: visitedAt + 1 }, {}, `302 ${to} url`],
  ["a test that ends this moment", { ...tested, testCompletedAt: visitedAt }, {}, `302 ${to} url`],
  ["a test that goes on", { ...tested, testCompletedAt: visitedAt + 1 }, {}, "302 https://example.com/a testVariant 0"],

  ["a preview", { proxy: 1 }, { userAgent: slackbot }, `preview ${to} url`],
  [
    "a preview of what its visitor would get",
    { proxy: 1, rewrite: 1, ...ruled([{ country: "DE" }, "r"]) },
    { userAgent: slackbot },
    "preview https://example.com/r rule 0",
  ],
  ["no preview for search engines", { proxy: 1 }, { userAgent: googlebot }, `302 ${to} url`],
  ["no preview for people", { proxy: 1 }, {}, `302 ${to} url`],
  ["no preview without proxy", {}, { userAgent: slackbot }, `302 ${to} url`],
  ["no preview of what is locked", { proxy: 1, passwordHash: "x" }, { userAgent: slackbot }, "password 200"],
  ["a frame", { rewrite: 1 }, { query: "?a=1" }, `frame ${to}?a=1 url`],
  ["no frame for a url that refuses it", { rewrite: 1, framing: "refused" }, {}, `302 ${to} url`],
  ["an app in no frame", { rewrite: 1, url: "myapp://Open/./1" }, {}, "302 myapp://Open/./1 url"],
  ["an app's url beyond ASCII", { url: "myapp://open/ä" }, {}, "302 myapp://open/%C3%A4 url"],

  ["the path after the key", { forwardPath: 1 }, { rest: "/a%20b/c" }, `302 ${to}/a%20b/c url`],
  [
    "between path and query",
    { forwardPath: 1, url: "https://example.com/?a=1#f" },
    { rest: "/b", query: "?c=1" },
    "302 https://example.com/b?a=1&c=1#f url",
  ],
  [
    "after a rule's url",
    { forwardPath: 1, ...ruled([{ country: "DE" }, "r/"]) },
    { rest: "/b/" },
    "302 https://example.com/r/b/ rule 0",
  ],
  ["after an app's url", { forwardPath: 1, url: "myapp://" }, { rest: "/b" }, "302 myapp://b url"],
  ["not where it is not forwarded", {}, { rest: "/b" }, "notFound 404"],
];

test.each(cases)("%s", (_, columns, visitor, expected) => {
  const link = targetWith(columns);

  const decision = decideFor(link, visitor);

  expect(text(decision)).toBe(expected);
  // A redirect that skips the decision gets the same answer.
  expect(isPlainVisit(link, visitor.rest ?? "", visitor.query ?? "")).toBe(decision === link.plainDecision);
});

describe("a domain's fallback URLs", () => {
  const domain = domainWith({ expiredUrl: "https://d.com/e", notFoundUrl: "https://d.com/n" });

  test.each([
    ["expired", { expiresAt: 1 }, {}, "expired https://d.com/e"],
    ["used up", { maxClicks: 1 }, { isUsedUp: true }, "usedUp https://d.com/e"],
    ["not started", { startsAt: visitedAt + 1 }, {}, "notStarted https://d.com/e"],
    ["the link's own first", { expiresAt: 1, expiredUrl: "https://l.com" }, {}, "expired https://l.com/"],
    ["disabled", { disabledAt: 1, expiredUrl: "https://l.com" }, {}, "disabled https://d.com/n"],
    ["no url", { url: "" }, {}, "notFound https://d.com/n"],
  ])("%s", (_, columns: Partial<LookupRow>, visitor: DecisionInput, expected) => {
    expect(text(decideFor(targetWith(columns), visitor, domain))).toBe(expected);
  });

  test("an unknown key", () => {
    expect(text(decideUnknown(domain))).toBe("notFound https://d.com/n");
    expect(text(decideUnknown(domainWith()))).toBe("notFound 404");
  });

  test("a deleted key", () => {
    expect(text(decideDeleted(domain))).toBe("deleted https://d.com/n");
    expect(text(decideDeleted(domainWith()))).toBe("deleted 410");
  });
});

test("a visitor's place is looked up only for conditions on it, and once", () => {
  let lookUps = 0;
  const locate = () => {
    lookUps++;
    return { country: "DE", region: "", city: "", continent: "EU" };
  };
  const visit = { now: visitedAt, address: "203.0.113.7", passwordCheck: { isUnlocked: false } };
  const visitor = new VisitorAttributes({ headers: {}, query: "" }, visit, { locate });
  const decideBy = (columns: Partial<LookupRow>) =>
    decide({ link: targetWith(columns), domain: domainWith(), rest: "" }, visitor);

  decideBy({});
  decideBy(ruled([{ os: "iOS" }, "1"]));
  expect(lookUps).toBe(0);

  decideBy(ruled([{ country: "FR" }, "1"], [{ country: "NL" }, "2"]));
  expect(lookUps).toBe(1);
});

describe("an A/B test", () => {
  const visitors = 100_000;
  const agents = [iphone, pixel, visitorWith().userAgent];

  /** Visitors with addresses from many networks, the same in each run. */
  function* addresses(): Generator<string> {
    let state = 20_261_121;
    for (let visitor = 0; visitor < visitors; visitor++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      yield `${state >>> 24}.${(state >>> 16) & 255}.${(state >>> 8) & 255}.${visitor & 255}`;
    }
  }

  function countsOf(percentages: number[], id: string): number[] {
    const shares = percentages.map((percentage, index) => ({ url: `https://example.com/${index}`, percentage }));
    const link = targetWith({ id, testVariants: JSON.stringify(shares) });
    const counts = percentages.map(() => 0);
    let visit = 0;
    for (const address of addresses()) {
      const userAgent = agents[visit++ % agents.length] ?? "";
      const decision = decideFor(link, { address, userAgent });
      const index = Number((decision.kind === "destination" ? decision.url : "").at(-1));
      counts[index] = (counts[index] ?? 0) + 1;
    }
    return counts;
  }

  // A correct split exceeds its bound for one of 1,000 sets of visitors; this set is always the same.
  test.each([
    [[50, 50], 10.83],
    [[10, 90], 10.83],
    [[33, 33, 34], 13.82],
    [[10, 20, 30, 40], 16.27],
    [[20, 20], 10.83],
    [[90, 90, 20], 13.82],
  ])("gives each variant its share of 100,000 visitors: %j", (percentages, chiSquaredMax) => {
    const sum = percentages.reduce((total, one) => total + one, 0);

    const counts = countsOf(percentages, `link_${percentages.join("_")}`);

    const expected = percentages.map((percentage) => (visitors * percentage) / sum);
    const chiSquared = counts.reduce(
      (total, count, index) => total + (count - (expected[index] ?? 0)) ** 2 / (expected[index] ?? 1),
      0,
    );
    expect(counts.reduce((total, one) => total + one, 0)).toBe(visitors);
    expect(chiSquared).toBeLessThan(chiSquaredMax);
  });

  test("shows a visitor the same variant each time, and splits the visitors of each link differently", () => {
    const urlOf = (id: string, address: string) => {
      const decision = decideFor(targetWith({ ...tested, id }), { address });
      return decision.kind === "destination" ? decision.url : "";
    };
    const some = [...addresses()].slice(0, 1_000);

    const first = some.map((address) => urlOf("link_1", address));
    const again = some.map((address) => urlOf("link_1", address));
    const differing = some.filter((address) => urlOf("link_1", address) !== urlOf("link_2", address)).length;

    expect(again).toEqual(first);
    expect(differing).toBeWithin(400, 600);
  });
});
