import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestService } from "./server.ts";

/** The attributes of a visit in analytics, written by hand in the fixtures, not computed by the service. */
export type ExpectedClick = {
  linkId: string;
  domain: string;
  key: string;
  /** The times of the request and of the response. The click's time lies between them. */
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

/** A link, and the path that visitors request, percent-encoded or not. */
export type VisitedLink = { id: string; host: string; domain: string; key: string; path: string };

/** A visitor's request, with the attributes that its click must have. */
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
  /** True if the request shows that no human sees the response, so that its click is marked as that of a bot. */
  countsAsBot?: boolean;
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

/** Sends a visit and returns the expected click. Fails if the response is not a redirect. */
export async function send(server: TestService, visit: Visit): Promise<ExpectedClick> {
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
    isBot: agent.bot !== "" || visit.countsAsBot === true,
  };
}

/** The expected rows of a report: clicks grouped by a column, the largest group first, with ties by value. */
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

/** Runs `work` on items, `atOnce` at a time, and returns the results in order. */
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
