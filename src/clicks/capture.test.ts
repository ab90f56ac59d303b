import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { plainOf } from "../../tests/support/spools.ts";
import { headerFields } from "../base/header-fields.ts";
import { clientAddress } from "./address.ts";
import { type ClickDetails, capture as captureShared, clickTarget } from "./capture.ts";
import { type BotKind, clickHeaderMax, clickUrlMax } from "./click.ts";
import { openGeo } from "./geo.ts";
import { visitorText } from "./spool-format.ts";
import { TextBudget } from "./text-budget.ts";
import { visitorHasher } from "./visitor.ts";

const now = Date.UTC(2026, 10, 21, 12);
/** Public addresses of visitors. */
const address = "81.169.145.150";
const address6 = "2a01:238:4071:328d::1";
const agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/126.0.0.0";

let deps: Parameters<typeof captureShared>[0];
beforeAll(async () => {
  const { locate } = await openGeo(undefined);
  // The shipped database has only countries; this one adds region and city.
  const berlin = { ...locate(address), region: "DE-BE", city: "Berlin" };
  deps = {
    geo: { locate: (ip) => (locate(ip).country === "DE" ? berlin : locate(ip)) },
    hashVisitor: visitorHasher(() => new Map([["2026-11-21", "salt"]])),
    texts: new TextBudget(),
  };
});

const target = {
  workspaceId: 3,
  linkId: "link_a",
  domainId: "dom_a",
  domain: "go.example.com",
  key: "spring",
  url: "https://example.com/?utm_source=mail",
};

function capture(using: typeof deps, known: ClickDetails) {
  return plainOf(captureShared(using, known));
}

function visitorOf(from: string, using: string): string {
  const { high, low } = deps.hashVisitor(from, using, now);
  return visitorText(high, low);
}

test("a request that a browser marks as a prefetch, in any known way, is a prefetch", () => {
  const rows = readFileSync(new URL("../../tests/fixtures/prefetches.tsv", import.meta.url), "utf8").trimEnd();
  const fields = rows
    .split("\n")
    .slice(1)
    .map((line) => line.split("\t").slice(0, 2));

  const kinds = fields.map(([name = "", value = ""]) => ({
    name,
    value,
    bot: capture(deps, clickDetails({ [name]: value })).bot,
  }));

  expect(kinds).toEqual(fields.map(([name = "", value = ""]) => ({ name, value, bot: "prefetch" })));
});

/** The request of an ordinary visitor. */
function clickDetails(headers: Record<string, string> = {}, other: Partial<ClickDetails> = {}): ClickDetails {
  return {
    time: now,
    target: clickTarget(target),
    url: target.url,
    trigger: "link",
    method: "GET",
    headers: headerFields(new Request("http://localhost/", { headers: { "User-Agent": agent, ...headers } })),
    address,
    honorDoNotTrack: true,
    ...other,
  };
}

test("a click has the request, the response and the visitor's attributes", () => {
  const headers = { Referer: "https://news.example.com/today", "Accept-Language": "de-AT,en;q=0.5" };

  const click = capture(deps, clickDetails(headers));

  expect(click).toEqual({
    time: now,
    workspaceId: 3,
    linkId: "link_a",
    domainId: "dom_a",
    domain: "go.example.com",
    key: "spring",
    url: "https://example.com/?utm_source=mail",
    country: "DE",
    region: "DE-BE",
    city: "Berlin",
    continent: "EU",
    referer: "https://news.example.com/today",
    agent,
    language: "de",
    trigger: "link",
    bot: "",
    visitor: visitorOf(address, agent),
  });
});

test("clicks share only equal values", () => {
  const known = clickDetails();
  const first = captureShared(deps, known);
  const again = captureShared(deps, { ...known, url: "https://example.com/other" });
  const other = captureShared(deps, clickDetails({ "User-Agent": "curl/8.7.1", Referer: "https://example.org/" }));

  for (const name of ["target", "place", "agent", "referer", "language"] as const) {
    expect(Object.is(again[name], first[name]), name).toBe(true);
  }
  expect([first.url, again.url]).toEqual([undefined, "https://example.com/other"]);
  expect(other.agent).not.toBe(first.agent);
  expect(other.referer).not.toBe(first.referer);
});

describe("the click does not contain the address, whatever its source", () => {
  const ways: [string, string | null, string][] = [
    [address, null, address],
    [`::ffff:${address}`, null, address],
    [address6, null, address6],
    ["127.0.0.1", address, address],
    ["127.0.0.1", `${address}:54321, 127.0.0.1`, address],
    ["127.0.0.1", `[${address6}]:443`, address6],
  ];
  for (const [peer, forwardedFor, expected] of ways) {
    test(`${peer} with ${forwardedFor}`, () => {
      const found = clientAddress(["127.0.0.1"])(peer, forwardedFor);
      const headers = { ...(forwardedFor === null ? {} : { "X-Forwarded-For": forwardedFor }), "X-Real-IP": peer };

      const text = JSON.stringify(capture(deps, clickDetails(headers, { address: found })));

      expect(found).toBe(expected);
      expect(text).not.toContain(expected);
      expect(text).not.toContain(peer);
      expect(text).not.toContain(Bun.hash.crc32(expected).toString(16));
    });
  }
});

describe("Do Not Track", () => {
  /** TABLE of domain settings, headers, and whether the visitor stays anonymous. */
  const cases: [boolean, Record<string, string>, boolean][] = [
    [true, { DNT: "1" }, true],
    [true, { "Sec-GPC": "1" }, true],
    [true, { DNT: "1", "Sec-GPC": "0" }, true],
    [true, { DNT: "0", "Sec-GPC": "1" }, true],
    [true, {}, false],
    [true, { DNT: "0" }, false],
    [true, { DNT: "null", "Sec-GPC": "?1" }, false],
    [false, { DNT: "1", "Sec-GPC": "1" }, false],
  ];
  for (const [honorDoNotTrack, headers, isLeftAlone] of cases) {
    const sent = JSON.stringify(headers);
    const domain = honorDoNotTrack ? "a domain that honors it" : "a domain that does not";
    const kept = isLeftAlone ? "leaves visitor, region and city out" : "keeps visitor, region and city";
    test(`${domain} with ${sent} ${kept}`, () => {
      const click = capture(deps, clickDetails(headers, { honorDoNotTrack }));

      expect({ visitor: click.visitor, region: click.region, city: click.city }).toEqual(
        isLeftAlone
          ? { visitor: "", region: "", city: "" }
          : { visitor: visitorOf(address, agent), region: "DE-BE", city: "Berlin" },
      );
      expect({ country: click.country, continent: click.continent }).toEqual({ country: "DE", continent: "EU" });
    });
  }
});

describe("bounds", () => {
  test("long headers and destinations are cut, and the visitor hash uses the whole user agent", () => {
    const long = "x".repeat(20_000);
    const headers = { "User-Agent": long, Referer: long, "Accept-Language": long };

    const click = capture(deps, clickDetails(headers, { url: `https://example.com/${long}` }));

    expect(click.agent).toHaveLength(clickHeaderMax);
    expect(click.referer).toHaveLength(clickHeaderMax);
    expect(click.url).toHaveLength(clickUrlMax);
    expect(click.language).toBe("");
    expect(click.visitor).toBe(visitorOf(address, long));
  });

  test("a visitor without any header is a click with empty texts", () => {
    const click = capture(deps, clickDetails({}, { headers: {}, address: "" }));

    expect(click).toMatchObject({ agent: "", referer: "", language: "", bot: "" });
  });
});

describe("the language is the one with the greatest weight in Accept-Language", () => {
  const cases: [string, string][] = [
    ["de", "de"],
    ["de-DE,de;q=0.9,en;q=0.8", "de"],
    ["en;q=0.5,de;q=0.9", "de"],
    ["en;q=0.8, *, de-AT", "de"],
    ["i-klingon, fr;q=0.5", "fr"],
    ["  EN-us", "en"],
    ["fil-PH", "fil"],
    ["*", ""],
    ["", ""],
    ["x", ""],
    ["english", ""],
    ["de_DE", ""],
    ["12", ""],
    [";q=1", ""],
  ];
  for (const [header, language] of cases) {
    test(`${JSON.stringify(header)} is ${JSON.stringify(language)}`, () => {
      expect(capture(deps, clickDetails({ "Accept-Language": header })).language).toBe(language);
    });
  }
});

describe("a request without a person behind it is marked as a bot", () => {
  const cases: [string, Record<string, string>, BotKind | ""][] = [
    ["HEAD", {}, "head"],
    ["GET", { "Sec-Purpose": "prefetch" }, "prefetch"],
    ["GET", { "Sec-Purpose": "prefetch;prerender" }, "prefetch"],
    ["GET", { Purpose: "prefetch" }, "prefetch"],
    ["GET", { "X-Purpose": "preview" }, "prefetch"],
    ["GET", { "X-Moz": "prefetch" }, "prefetch"],
    ["GET", { "Sec-Purpose": "none" }, ""],
    ["GET", {}, ""],
  ];
  for (const [method, headers, bot] of cases) {
    test(`${method} ${JSON.stringify(headers)} is ${JSON.stringify(bot)}`, () => {
      expect(capture(deps, clickDetails(headers, { method })).bot).toBe(bot);
    });
  }
});

test("the query and fragment of a referrer are not in the click", () => {
  const click = capture(deps, clickDetails({ Referer: "https://mail.example.com/read?user=ann@example.com#unread" }));

  expect(click.referer).toBe("https://mail.example.com/read");
});

test("a cached part of a long header does not keep the whole header in memory", () => {
  const textBytes = 1024 ** 2;
  const remembered = 300;
  const before = memoryBytes();

  for (let client = 0; client < remembered; client++) {
    const packet = Buffer.alloc(textBytes, `a separate packet, number ${client}. `).toString("latin1");
    const header = packet.slice(1_000, 1_000 + 2 * clickHeaderMax);
    captureShared(deps, { ...clickDetails(), headers: { "user-agent": header, referer: header } });
  }

  expect((memoryBytes() - before) / textBytes).toBeLessThan(remembered / 2);
});

function memoryBytes(): number {
  Bun.gc(true);
  return process.memoryUsage().rss;
}

describe("beyond the budget of new texts", () => {
  /** A visit with unique texts. */
  const syntheticClick = (number: number, from: string): ClickDetails => ({
    ...clickDetails({
      "User-Agent": `${agent} ${number} ${"a".repeat(400)}`,
      Referer: `https://${number}.example/${"r".repeat(480)}`,
    }),
    url: `https://example.com/?visit=${number}&${"q".repeat(1_900)}`,
    address: from,
  });

  test("clicks of the visitor's network have short texts, and those of other visitors are unchanged", () => {
    const using = { ...deps, texts: new TextBudget() };
    const clicks = Array.from({ length: 200 }, (_, number) => capture(using, syntheticClick(number, "203.0.113.7")));
    const other = capture(using, syntheticClick(1_000, address));

    const bytes = clicks.reduce(
      (sum, { url, referer }) => sum + (url === target.url ? 0 : url.length) + referer.length,
      0,
    );
    expect(bytes).toBeLessThanOrEqual(65_536 + 200 * 64);
    const last = clicks.at(-1);
    expect(last).toMatchObject({
      url: target.url,
      linkId: target.linkId,
      referer: `https://199.example/${"r".repeat(44)}`,
    });
    expect(last?.agent).toBe(`${agent} 199 ${"a".repeat(400)}`.slice(0, 256));
    const sent = syntheticClick(1_000, address);
    expect(other).toMatchObject({ url: sent.url, referer: sent.headers.referer, agent: sent.headers["user-agent"] });
  });
});
