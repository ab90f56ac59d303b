import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestServer } from "./server.ts";

/** The attributes of a visit in analytics, written by hand in the fixtures, not computed by the service. */
export type ExpectedClick = {
  linkId: string;
  domain: string;
  key: string;
  /** When it was sent and when it was answered: the click's own time lies between them. */
  time: number;
  answeredAt: number;
  country: string;
  browser: string;
  os: string;
  device: string;
  referer: string;
  language: string;
  trigger: "link" | "qr";
  isBot: boolean;
};

/** A link as a visitor meets it. `path` is what is asked for, percent-encoded or not. */
export type VisitedLink = { id: string; host: string; domain: string; key: string; path: string };

/** One request of a visitor, and what of it can be expected to be counted. */
export type Visit = {
  link: VisitedLink;
  method?: "GET" | "HEAD";
  /** Added to the path, such as "?qr=1". */
  query?: string;
  headers?: Record<string, string>;
  agent: AgentRow;
  address?: AddressRow;
  referer?: RefererRow;
  language?: string;
  /** True where the request shows of itself that nobody looks at the answer. */
  isSeenByNobody?: boolean;
};

type AgentRow = { agent: string; browser: string; os: string; device: string; bot: string };
type AddressRow = { address: string; country: string };
type RefererRow = { header: string; referer: string };

export const agentRows: readonly AgentRow[] = readTable("agents.tsv").map(
  ([agent = "", browser = "", os = "", device = "", bot = ""]) => ({ agent, browser, os, device, bot }),
);
export const addressRows: readonly AddressRow[] = readTable("addresses.tsv").map(([address = "", country = ""]) => ({
  address,
  country,
}));
export const refererRows: readonly RefererRow[] = readTable("referers.tsv").map(([header = "", referer = ""]) => ({
  header,
  referer,
}));

/** The rows of a fixture, without its header. */
function readTable(name: string): string[][] {
  const text = readFileSync(join(import.meta.dir, "../fixtures", name), "utf8");
  return text
    .split("\n")
    .slice(1)
    .filter((line) => line !== "")
    .map((line) => line.split("\t"));
}

/** Sends a visit and says what it must count as. Fails when the visitor was not sent on. */
export async function send(server: TestServer, visit: Visit): Promise<ExpectedClick> {
  const { link, method = "GET", query = "", agent, address, referer, language } = visit;
  const time = Date.now();
  const response = await server.visit(`/${link.path}${query}`, {
    host: link.host,
    method,
    headers: {
      "User-Agent": agent.agent,
      ...(address === undefined ? {} : { "X-Forwarded-For": address.address }),
      ...(referer === undefined ? {} : { Referer: referer.header }),
      ...(language === undefined ? {} : { "Accept-Language": language }),
      ...visit.headers,
    },
  });
  if (response.status !== 302) throw new Error(`${JSON.stringify(visit)} was answered ${response.status}`);
  return {
    linkId: link.id,
    domain: link.domain,
    key: link.key,
    time,
    answeredAt: Date.now(),
    country: address?.country || "Unknown",
    browser: agent.browser || "Unknown",
    os: agent.os || "Unknown",
    device: agent.device || "Unknown",
    referer: referer?.referer || "(direct)",
    language: language?.split("-")[0] ?? "Unknown",
    trigger: query.includes("qr=1") ? "qr" : "link",
    isBot: agent.bot !== "" || visit.isSeenByNobody === true,
  };
}

/** The groups of clicks by one of their columns, most clicks first, ties by value: what a report must answer. */
export function groupsOf<Name extends "browser" | "os" | "referer" | "country" | "device">(
  clicks: readonly ExpectedClick[],
  groupBy: Name,
): Record<string, string | number>[] {
  const groups = new Map<string, number>();
  for (const click of clicks) groups.set(click[groupBy], (groups.get(click[groupBy]) ?? 0) + 1);
  return [...groups]
    .sort(([one, oneClicks], [other, otherClicks]) => otherClicks - oneClicks || (one < other ? -1 : 1))
    .map(([value, count]) => ({ [groupBy]: value, clicks: count }));
}

/** Runs the work `atOnce` at a time and gathers the results in order. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += atOnce) {
    results.push(...(await Promise.all(items.slice(start, start + atOnce).map(work))));
  }
  return results;
}
