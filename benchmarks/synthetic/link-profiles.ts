import type { SeededRandom } from "./seeded-random.ts";
import { apportion, zipfShares } from "./zipf.ts";

/**
 * When links are clicked: some for as long as they are there, others mostly in the days after they were made.
 * All arrays have one number for each link; links of a workspace lie together, the most clicked of each first.
 */
export type LinkProfiles = {
  /** Index of the link's workspace, from 0; the first has the most clicks. */
  workspaces: Uint32Array;
  /** The link's part of all clicks. */
  shares: Float64Array;
  /** Index of the day on which its clicks begin. */
  birthDays: Uint32Array;
  /** What is left of the passing part of its clicks after each day. */
  dailyDecay: Float64Array;
};

/** Of a link that is there for long, as of one that is forgotten soon: the part of its first day that stays for ever. */
const baselineShare = 0.08;

/** Links that keep being clicked as on their first day. */
const evergreenShare = 0.6;
/** Links that are older than what is told of them. */
const olderShare = 0.45;
/** The most clicked links of each workspace are older and evergreen: one that is new would be most of its days. */
const establishedLinks = 10;
/** The part of the days on which links begin, for the same reason. */
const birthDaysShare = 0.9;
/** Days after which a forgotten link has 1/e of its first day's clicks. */
const lifeDaysMin = 4;
const lifeDaysMax = 45;

/** Lives of so many links, shared out among the workspaces by how many clicks those have. */
export function linkProfiles(
  { links, workspaces, days }: { links: number; workspaces: number; days: number },
  random: SeededRandom,
): LinkProfiles {
  const workspaceShares = zipfShares(workspaces);
  const profiles: LinkProfiles = {
    workspaces: new Uint32Array(links),
    shares: new Float64Array(links),
    birthDays: new Uint32Array(links),
    dailyDecay: new Float64Array(links),
  };
  let link = 0;
  for (const [workspace, count] of apportion(links, workspaceShares).entries()) {
    for (const [rank, share] of zipfShares(count).entries()) {
      const isEstablished = rank < establishedLinks;
      profiles.workspaces[link] = workspace;
      profiles.shares[link] = share * (workspaceShares[workspace] ?? 0);
      profiles.birthDays[link] = isEstablished || random.next() < olderShare ? 0 : random.below(days * birthDaysShare);
      const lifeDays = lifeDaysMin + random.next() * (lifeDaysMax - lifeDaysMin);
      profiles.dailyDecay[link] = isEstablished || random.next() < evergreenShare ? 1 : Math.exp(-1 / lifeDays);
      link++;
    }
  }
  return profiles;
}

/** The clicks of each link on each day, of a number of clicks that together is 1; days are asked for one after another. */
export class DailyClicks {
  readonly #profiles: LinkProfiles;
  /** What of each link's passing part is left on the day at hand; 0 before its first day. */
  readonly #decaying: Float64Array;
  /** What a link's clicks have to be multiplied with, so that those of all days are its share. */
  readonly #factors: Float64Array;
  #day = 0;

  /** `dayWeights` says how busy each day is beside the others. */
  constructor(profiles: LinkProfiles, dayWeights: readonly number[]) {
    const count = profiles.shares.length;
    this.#profiles = profiles;
    this.#decaying = new Float64Array(count);
    this.#factors = new Float64Array(count);
    for (let link = 0; link < count; link++) {
      const rest = profiles.dailyDecay[link] ?? 1;
      let decaying = 1;
      let sum = 0;
      for (let day = profiles.birthDays[link] ?? 0; day < dayWeights.length; day++) {
        sum += (dayWeights[day] ?? 0) * (baselineShare + decaying);
        decaying *= rest;
      }
      this.#factors[link] = (profiles.shares[link] ?? 0) / sum;
    }
  }

  /** Writes the next day's part of the clicks into `weights`, link by link, and returns their sum. */
  next(dayWeight: number, weights: Float64Array): number {
    const { birthDays, dailyDecay } = this.#profiles;
    const decaying = this.#decaying;
    let sum = 0;
    for (let link = 0; link < weights.length; link++) {
      const birthDay = birthDays[link] ?? 0;
      const left = birthDay === this.#day ? 1 : (decaying[link] ?? 0) * (dailyDecay[link] ?? 1);
      decaying[link] = left;
      const weight = this.#day < birthDay ? 0 : (this.#factors[link] ?? 0) * dayWeight * (baselineShare + left);
      weights[link] = weight;
      sum += weight;
    }
    this.#day++;
    return sum;
  }
}
