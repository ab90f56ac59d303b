import type { Click, ClickTarget } from "../../src/clicks/click.ts";
import type { Referrer } from "../../src/clicks/enrich.ts";
import { clickBytes, frameHeaderBytes } from "../../src/clicks/spool-format.ts";
import type { LogRange } from "../../src/clicks/store.ts";
import { ClickTexts } from "./click-texts.ts";
import { places } from "./places.ts";
import { referrers } from "./referrers.ts";
import { mixBits } from "./seeded-random.ts";
import { botAgents, type ClickAgent, humanAgents } from "./user-agents.ts";

/** The properties of a link that its clicks copy. */
export type TrafficLink = ClickTarget &
  Pick<Click, "utm_source" | "utm_medium" | "utm_campaign" | "utm_term" | "utm_content"> & {
    /** The share of its mobile visitors who scan its QR code. */
    qrShare: number;
  };

/** A batch in the form of ClickStore.insert. */
export type TrafficBatch = { batch: LogRange; rows: Click[] };

/** The index of no referrer. */
export const directReferrer = -1;
/** Bits of a click's flags. A bot sends no language. */
export const scanFlag = 1;
export const otherLanguageFlag = 2;
export const untrackedFlag = 4;
export const noLanguageFlag = 8;

/** The agents of people, followed by those of bots. */
const agents: readonly ClickAgent[] = [...humanAgents, ...botAgents];
const noReferrer: Referrer = { referer: "", refererUrl: "" };

/**
 * A batch of clicks under construction, as arrays of indexes of links, places, agents (people's first) and referrers.
 * Each batch is one frame of a spool.
 */
export class ClickBatch {
  /** The number of clicks so far; array elements beyond it are unused. */
  count = 0;
  readonly times: Float64Array;
  readonly links: Uint32Array;
  readonly places: Uint8Array;
  readonly agents: Uint8Array;
  readonly referrers: Int16Array;
  readonly flags: Uint8Array;
  readonly #texts: ClickTexts;
  readonly #spoolId: string;
  #position = 0;

  /** Creates batches of at most `clicksMax` clicks. */
  constructor(spoolId: string, clicksMax: number) {
    this.times = new Float64Array(clicksMax);
    this.links = new Uint32Array(clicksMax);
    this.places = new Uint8Array(clicksMax);
    this.agents = new Uint8Array(clicksMax);
    this.referrers = new Int16Array(clicksMax);
    this.flags = new Uint8Array(clicksMax);
    this.#texts = new ClickTexts(spoolId, clicksMax);
    this.#spoolId = spoolId;
  }

  /** Sets the visitor of a click: the same hash for one person of one place on one day. */
  setVisitor(slot: number, person: number, place: number, day: number): void {
    const high = mixBits(
      Math.imul(person, 0x9e3779b1) ^ Math.imul(place + 1, 0x85ebca77) ^ Math.imul(day + 1, 0xc2b2ae3d),
    );
    this.#texts.setVisitor(slot, high, mixBits(high + Math.imul(person, 0x27d4eb2f) + place + day));
  }

  /** Returns the clicks as a batch and begins the next one. */
  take(links: readonly TrafficLink[]): TrafficBatch {
    const from = this.#position;
    const to = from + frameHeaderBytes + this.count * clickBytes;
    this.#texts.finish(from, this.count);
    const rows: Click[] = [];
    for (let slot = 0; slot < this.count; slot++) rows.push(this.#click(slot, links));
    this.#position = to;
    this.count = 0;
    return { batch: { spoolId: this.#spoolId, from, to }, rows };
  }

  #click(slot: number, links: readonly TrafficLink[]): Click {
    const link = links[this.links[slot] ?? 0];
    const place = places[this.places[slot] ?? 0];
    const agent = agents[this.agents[slot] ?? 0];
    if (link === undefined || place === undefined || agent === undefined) throw new Error("An index is out of range.");
    const { referer, refererUrl } = referrers[this.referrers[slot] ?? directReferrer]?.referrer ?? noReferrer;
    const flags = this.flags[slot] ?? 0;
    const isUntracked = (flags & untrackedFlag) !== 0;
    return {
      id: this.#texts.id(slot),
      time: this.times[slot] ?? 0,
      workspaceId: link.workspaceId,
      linkId: link.linkId,
      domainId: link.domainId,
      domain: link.domain,
      key: link.key,
      url: link.url,
      country: place.country,
      region: isUntracked ? "" : place.region,
      city: isUntracked ? "" : place.city,
      continent: place.continent,
      device: agent.device,
      browser: agent.browser,
      os: agent.os,
      referer,
      refererUrl,
      language: (flags & noLanguageFlag) !== 0 ? "" : flags & otherLanguageFlag ? place.otherLanguage : place.language,
      trigger: (flags & scanFlag) === 0 ? "link" : "qr",
      bot: agent.bot,
      visitor: isUntracked ? "" : this.#texts.visitor(slot),
      utm_source: link.utm_source,
      utm_medium: link.utm_medium,
      utm_campaign: link.utm_campaign,
      utm_term: link.utm_term,
      utm_content: link.utm_content,
    };
  }
}
