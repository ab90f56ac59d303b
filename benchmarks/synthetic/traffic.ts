/**
 * Synthetic clicks of a busy instance: on links and workspaces of very different sizes, with the rhythm of days and
 * weeks, from places in their waking hours, by people who return on the same day, and by bots.
 *
 * 1. The same plan and seed give the same clicks, in order of time, for any batch size.
 * 2. Clicks look like enriched visits: agents, referrers and UTM parameters are parsed by enrichment's own code, once
 *    each.
 * 3. Clicks share texts, and each draw takes constant time: a click costs less than a microsecond.
 */

import { AliasTable } from "./alias-table.ts";
import { busyness, calendarOf } from "./calendar.ts";
import {
  ClickBatch,
  directReferrer,
  noLanguageFlag,
  otherLanguageFlag,
  scanFlag,
  type TrafficBatch,
  type TrafficLink,
  untrackedFlag,
} from "./click-batch.ts";
import { type HourOfClicks, hourlyClicks } from "./hourly-clicks.ts";
import { DailyClicks, type LinkProfiles } from "./link-profiles.ts";
import { machineWeights, places } from "./places.ts";
import { referrers } from "./referrers.ts";
import { mixBits, SeededRandom } from "./seeded-random.ts";
import { botAgents, humanAgents } from "./user-agents.ts";

/** The clicks to generate: their number, and the period in milliseconds, half open. */
export type TrafficPlan = {
  clicks: number;
  from: number;
  to: number;
  seed: number;
  /** 32 hex digits. */
  spoolId: string;
  links: readonly TrafficLink[];
  /** One profile for each link, over daysTouched days. */
  profiles: LinkProfiles;
};

/**
 * Share of bots among all clicks; among people's clicks, the share of visitors who return on the same day, and the
 * share of clicks without a referrer.
 */
const botShare = 0.15;
const returningShare = 0.22;
const directShare = 0.46;
/** Among people, the shares with Do Not Track and with the other language of their place. */
const untrackedShare = 0.012;
const otherLanguageShare = 0.14;
/** The number of people of one place, relative to all clicks, so that the same people click several links. */
const peopleShare = 1 / 40;
const peopleMin = 1_000;
/** Bots of one kind in one place. */
const machinesPerPlace = 60;

const placesByHour = Array.from(
  { length: 24 },
  (_, hour) => new AliasTable(places.map(({ weight, hoursAhead }) => weight * busyness(hour, hoursAhead))),
);
const hourWeights = Array.from({ length: 24 }, (_, hour) =>
  places.reduce((sum, { weight, hoursAhead }) => sum + weight * busyness(hour, hoursAhead), 0),
);
const machinePlaces = new AliasTable(machineWeights);
const humanTable = new AliasTable(humanAgents.map(({ weight }) => weight));
const botTable = new AliasTable(botAgents.map(({ weight }) => weight));
const referrerTable = new AliasTable(referrers.map(({ weight }) => weight));
/** Indexes of referrers by the agent that always sends them. */
const appReferrers = Int16Array.from(humanAgents, ({ appReferrer }) =>
  referrers.findIndex(({ referrer }) => referrer.refererUrl === appReferrer),
);
/** Generated in about half a millisecond. */
const clicksBetweenPauses = 1_000;
/** Added to the days of people, so that a person and a bot with the same number are different visitors. */
const peopleDaysOffset = 100_000;

/** The number of UTC days in a period, partial days included. */
export function daysTouched(from: number, to: number): number {
  return calendarOf(from, to, hourWeights, new SeededRandom(0)).length;
}

/** Generates the clicks of a plan. */
export class Traffic {
  readonly #plan: TrafficPlan;
  readonly #random: SeededRandom;
  readonly #people: number;
  /** The person who clicked each link last, their place, and the day, from 1. */
  readonly #lastPeople: Uint32Array;
  readonly #lastPlaces: Uint8Array;
  readonly #lastDays: Uint16Array;
  /** People's clicks of each link so far, and the time of the last one; 0 for none. By the index of the link. */
  readonly clicks: Uint32Array;
  readonly lastClicked: Float64Array;

  constructor(plan: TrafficPlan) {
    const count = plan.links.length;
    this.#plan = plan;
    this.#random = new SeededRandom(plan.seed);
    this.#people = Math.max(peopleMin, Math.ceil(plan.clicks * peopleShare));
    this.#lastPeople = new Uint32Array(count);
    this.#lastPlaces = new Uint8Array(count);
    this.#lastDays = new Uint16Array(count);
    this.clicks = new Uint32Array(count);
    this.lastClicked = new Float64Array(count);
  }

  /** Yields all clicks in batches; the last one may be smaller. Call this or `batchesWithPauses`, once. */
  *batches(batchClicksMax: number): Generator<TrafficBatch> {
    for (const batch of this.batchesWithPauses(batchClicksMax)) if (batch !== undefined) yield batch;
  }

  /** Like `batches`, and yields undefined after at most a thousand clicks, so that the caller can do other work. */
  *batchesWithPauses(batchClicksMax: number): Generator<TrafficBatch | undefined> {
    const { from, to, profiles, links, clicks, spoolId } = this.#plan;
    const days = calendarOf(from, to, hourWeights, this.#random);
    const weights = days.map(({ weight }) => weight);
    const linkWeights = new Float64Array(links.length);
    const batch = new ClickBatch(spoolId, batchClicksMax);
    let linkTable: AliasTable | undefined;
    let day = -1;
    for (const hourOfClicks of hourlyClicks(days, new DailyClicks(profiles, weights), linkWeights, clicks)) {
      if (linkTable === undefined) linkTable = new AliasTable(linkWeights);
      else if (hourOfClicks.day !== day) linkTable.fill(linkWeights);
      day = hourOfClicks.day;
      for (let done = 0; done < hourOfClicks.clicks; ) {
        const count = Math.min(hourOfClicks.clicks - done, batchClicksMax - batch.count, clicksBetweenPauses);
        for (let index = done; index < done + count; index++) this.#draw(batch, linkTable, hourOfClicks, index);
        done += count;
        yield batch.count === batchClicksMax ? batch.take(links) : undefined;
      }
    }
    if (batch.count > 0) yield batch.take(links);
  }

  /** Draws one click of an hour. Times are evenly spaced with a random offset, so that they ascend. */
  #draw(batch: ClickBatch, linkTable: AliasTable, { day, hour, clicks }: HourOfClicks, index: number): void {
    const random = this.#random;
    const slot = batch.count++;
    const link = linkTable.draw(random.fine());
    batch.links[slot] = link;
    const time = hour.from + Math.floor(((index + random.next()) / clicks) * (hour.to - hour.from));
    batch.times[slot] = time;
    if (random.next() < botShare) {
      this.#drawBot(batch, slot, day);
      return;
    }
    this.#drawPerson(batch, slot, { link, day, utcHour: hour.utcHour });
    this.clicks[link] = (this.clicks[link] ?? 0) + 1;
    this.lastClicked[link] = time;
  }

  #drawBot(batch: ClickBatch, slot: number, day: number): void {
    const random = this.#random;
    const agent = botTable.draw(random.next());
    const place = machinePlaces.draw(random.next());
    batch.agents[slot] = humanAgents.length + agent;
    batch.places[slot] = place;
    batch.referrers[slot] = directReferrer;
    batch.flags[slot] = noLanguageFlag;
    batch.setVisitor(slot, agent * machinesPerPlace + random.below(machinesPerPlace), place, day);
  }

  #drawPerson(batch: ClickBatch, slot: number, { link, day, utcHour }: { link: number; day: number; utcHour: number }) {
    const random = this.#random;
    const returns = this.#lastDays[link] === day + 1 && random.next() < returningShare;
    const place = returns ? (this.#lastPlaces[link] ?? 0) : drawFrom(placesByHour, utcHour, random.next());
    const person = returns ? (this.#lastPeople[link] ?? 0) : random.below(this.#people);
    if (!returns) {
      this.#lastPeople[link] = person;
      this.#lastPlaces[link] = place;
      this.#lastDays[link] = day + 1;
    }
    // A person's agent and preferences are derived from their number, so that they need no memory and never change.
    const personHash = mixBits(Math.imul(person, 0x9e3779b1) + place);
    const habitHash = mixBits(personHash + 1);
    const agent = humanTable.draw((personHash >>> 0) / 2 ** 32);
    const isScan = random.next() < (this.#plan.links[link]?.qrShare ?? 0) && humanAgents[agent]?.device === "Mobile";
    batch.agents[slot] = agent;
    batch.places[slot] = place;
    batch.referrers[slot] = isScan ? directReferrer : this.#drawReferrer(agent);
    const untracked = (habitHash & 0xffff) / 2 ** 16 < untrackedShare ? untrackedFlag : 0;
    const otherLanguage = (habitHash >>> 16) / 2 ** 16 < otherLanguageShare ? otherLanguageFlag : 0;
    batch.flags[slot] = untracked | otherLanguage | (isScan ? scanFlag : 0);
    batch.setVisitor(slot, person, place, day + peopleDaysOffset);
  }

  #drawReferrer(agent: number): number {
    const home = appReferrers[agent] ?? directReferrer;
    if (home !== directReferrer) return home;
    const chance = this.#random.next();
    return chance < directShare ? directReferrer : referrerTable.draw((chance - directShare) / (1 - directShare));
  }
}

function drawFrom(tables: readonly AliasTable[], index: number, chance: number): number {
  return tables[index]?.draw(chance) ?? 0;
}
