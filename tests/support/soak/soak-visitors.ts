/** Visitors of a soak test: many kinds of requests at a bounded rate, each response compared with the model. */
import { pick, type Random } from "../clicks.ts";
import type { SoakModel } from "./soak-model.ts";
import type { SoakWorld } from "./soak-world.ts";
import { clicksOfLimited, parseDestination, type SoakedLink, soakPassword } from "./soaked-link.ts";
import { VisitConnection, type VisitResponse } from "./visit-connection.ts";

const connectionsCount = 12;
/** After a refused connection, a visitor waits this long. */
const refusedPauseMs = 100;
/** A frequent address of visitors. No file may contain it. */
export const frequentAddress = "81.169.145.150";

const chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0";
const desktop = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36`;
const phone = `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${chrome} Mobile Safari/537.36`;
const crawler = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

type VisitorKind = {
  share: number;
  agent: string;
  method: "GET" | "HEAD";
  query: string;
  headers: string;
  counts: Counts;
};
/** How a redirect of this visitor is recorded. */
type Counts = "human" | "bot" | "not";

/** TABLE of visitors. */
const visitorKinds: Record<string, VisitorKind> = {
  desktop: { share: 55, agent: desktop, method: "GET", query: "", headers: "", counts: "human" },
  phone: { share: 20, agent: phone, method: "GET", query: "", headers: "", counts: "human" },
  qr: { share: 5, agent: phone, method: "GET", query: "&qr=1", headers: "", counts: "human" },
  crawler: { share: 8, agent: crawler, method: "GET", query: "", headers: "", counts: "bot" },
  head: { share: 4, agent: desktop, method: "HEAD", query: "", headers: "", counts: "bot" },
  prefetch: { share: 4, agent: desktop, method: "GET", query: "", headers: "Sec-Purpose: prefetch\r\n", counts: "bot" },
  untracked: { share: 4, agent: desktop, method: "GET", query: "&dub-no-track=1", headers: "", counts: "not" },
};
const visitorsByShare = Object.values(visitorKinds).flatMap((kind) => new Array<VisitorKind>(kind.share).fill(kind));
const referers = ["", "", "Referer: https://t.co/x\r\n", "Referer: https://news.example.com/today\r\n"];

/** A link's state when a visit begins. */
type Before = { version: number; state: SoakedLink["state"]; since: number; from: number; wasFull: boolean };

/** Visitors on a fixed number of connections, from `start` to `stop`. */
export class SoakVisitors {
  readonly #world: SoakWorld;
  readonly #model: SoakModel;
  readonly #random: Random;
  readonly #intervalMs: number;
  #tokens = 0;
  #isStopping = false;
  #running: Promise<void>[] = [];

  constructor(world: SoakWorld, model: SoakModel, { random, perSecond }: { random: Random; perSecond: number }) {
    this.#world = world;
    this.#model = model;
    this.#random = random;
    this.#intervalMs = (connectionsCount * 1_000) / perSecond;
  }

  start(): void {
    this.#isStopping = false;
    this.#running = Array.from({ length: connectionsCount }, () => this.#visitOften());
  }

  /** Resolves when the last visit has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#running);
  }

  async #visitOften(): Promise<void> {
    const connection = new VisitConnection();
    let next = performance.now() + this.#random() * this.#intervalMs;
    while (!this.#isStopping) {
      await Bun.sleep(Math.max(0, next - performance.now()));
      // A delayed visitor does not catch up, so that the rate is never exceeded.
      next = Math.max(next + this.#intervalMs, performance.now());
      const url = this.#world.url;
      const isSent = url !== undefined && (await this.#visit(connection, url));
      if (!isSent) await Bun.sleep(refusedPauseMs);
    }
    connection.close();
  }

  /** False when no request was sent. */
  async #visit(connection: VisitConnection, url: string): Promise<boolean> {
    const random = this.#random;
    const link = random() < 0.05 ? undefined : this.#model.pickVisited(random);
    const visitor = visitorFor(random, link);
    const token = ++this.#tokens;
    const password = link?.kind === "password" && random() < 0.1 ? `&pw=${encodeURIComponent(soakPassword)}` : "";
    const path = `/${link?.key ?? `unknown-${token}`}?t=${token}${visitor.query}${password}`;
    const before: Before = {
      ...{ version: link?.version ?? 0, state: link?.state ?? "live", since: performance.now() },
      ...{ from: this.#world.now(), wasFull: this.#world.isActive("full disk") },
    };
    const response = await connection.send(
      url,
      `${visitor.method} ${path} HTTP/1.1\r\nHost: ${link?.host ?? "localhost"}\r\nUser-Agent: ${visitor.agent}\r\n` +
        `X-Forwarded-For: ${addressOf(random)}\r\n${pick(random, referers)}${visitor.headers}\r\n`,
      visitor.method !== "HEAD",
    );
    if (response.kind === "unsent") return false;
    this.#world.record.count("visits");
    this.#recordVisit(token, { link, visitor, before, response, isUnlocked: password !== "" });
    return true;
  }

  #recordVisit(
    token: number,
    visit: {
      link: SoakedLink | undefined;
      visitor: VisitorKind;
      before: Before;
      response: VisitResponse;
      isUnlocked: boolean;
    },
  ): void {
    const { link, visitor, before, response } = visit;
    const { record } = this.#world;
    if (response.kind !== "answered") {
      record.count(`visits ${response.kind}`);
      if (response.kind === "late") record.violate("every visit is answered or cut off", { token, key: link?.key });
      if (link !== undefined) link.cut++;
      this.#keep(token, { kind: "cut", serial: 0, visitor, before });
      return;
    }
    const { status, location } = response;
    record.count(`visits answered ${status}`);
    const found = parseDestination(location);
    if (status === 302 && found !== undefined) {
      if (visitor.counts !== "not") this.#keep(token, { kind: "redirected", serial: found.serial, visitor, before });
      if (link !== undefined && link.serial === found.serial && visitor.counts === "human") link.redirected++;
    } else if (status >= 500) {
      // The click may have been taken from the link's limit.
      if (link !== undefined) link.cut++;
      if (!this.#world.wasDisturbed(before.since))
        record.violate("no visit gets an error of the server", { token, status });
      return;
    }
    const wrong = wrongResponse(visit, { status, location, found });
    if (wrong !== undefined) record.violate(wrong, { token, status, location, link, before });
  }

  #keep(
    token: number,
    {
      kind,
      serial,
      visitor,
      before,
    }: { kind: "redirected" | "cut"; serial: number; visitor: VisitorKind; before: Before },
  ): void {
    const now = this.#world.now();
    this.#model.visits.set(token, {
      ...{ kind, serial, isBot: visitor.counts === "bot" },
      at: { from: Math.min(before.from, now), to: Math.max(before.from, now) },
      endedAt: performance.now(),
      mayBeDropped: before.wasFull || this.#world.isActive("full disk"),
    });
  }
}

/** The invariant that the response violates. */
function wrongResponse(
  visit: { link: SoakedLink | undefined; visitor: VisitorKind; before: Before; isUnlocked: boolean },
  response: { status: number; location: string; found: ReturnType<typeof parseDestination> },
): string | undefined {
  const { link, visitor, before, isUnlocked } = visit;
  const { status, found } = response;
  if (link === undefined) return status === 404 ? undefined : "an unknown short link is not found";
  if (before.state === "deleted") {
    // While the visitor waits, another link may take the short link.
    return status === 410 || link.state === "replaced" ? undefined : "a deleted link leads nowhere";
  }
  if (before.state !== "live" || link.state !== "live") return undefined;
  if (link.kind === "expired") return status === 410 ? undefined : "an expired link leads nowhere";
  if (link.kind === "password" && !isUnlocked) {
    return status === 302 ? "a link with a password opens only with it" : undefined;
  }
  if (link.kind === "limited") {
    if (link.redirected > clicksOfLimited) return "maxClicks is never exceeded";
    // In flight are at most the other connections.
    const mayBeUsedUp = link.redirected + link.cut + connectionsCount > clicksOfLimited;
    if (status === 410) return mayBeUsedUp ? undefined : "a link opens until its clicks are used up";
  }
  if (status !== 302 || found === undefined) return "a link leads to its destination";
  if (found.serial !== link.serial) return "a link leads to its own destination";
  if (found.version < before.version || found.version > link.sentVersion) return "a visitor sees the confirmed change";
  if (link.kind === "rules" && (found.variant === "mobile") !== (visitor.agent === phone)) return "a rule applies";
  if (link.kind === "test" && found.variant === "") return "a test chooses a variant";
  return undefined;
}

/** A random visitor; only humans with plain requests visit links with a limit, so that each redirect uses a click. */
function visitorFor(random: Random, link: SoakedLink | undefined): VisitorKind {
  const visitor = pick(random, visitorsByShare);
  return link?.kind === "limited" && visitor.counts !== "human" ? pick(random, visitorsByShare.slice(0, 50)) : visitor;
}

function addressOf(random: Random): string {
  if (random() < 0.2) return frequentAddress;
  const byte = (min: number, max: number) => min + Math.floor(random() * (max - min));
  return `${byte(80, 95)}.${byte(1, 255)}.${byte(1, 255)}.${byte(1, 255)}`;
}
