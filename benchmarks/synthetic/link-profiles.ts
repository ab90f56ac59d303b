import type { SeededRandom } from "./seeded-random.ts";
import { apportion, zipfShares } from "./zipf.ts";

/**
 * When links are clicked: some all the time, others mostly in the days after their creation. The arrays are indexed by
 * link; links of a workspace are adjacent, the most clicked first.
 */
export type LinkProfiles = {
  /** Index of the link's workspace, from 0; the first has the most clicks. */
  workspaces: Uint32Array;
  /** The link's share of all clicks. */
  shares: Float64Array;
  /** Index of the day of its first click. */
  birthDays: Uint32Array;
  /** The factor by which the decaying part of its clicks shrinks each day. */
  dailyDecay: Float64Array;
};

/** The constant part of each link's daily clicks, relative to the decaying part of its first day. */
const baselineShare = 0.08;

/** Share of the links whose clicks do not decay. */
const evergreenShare = 0.6;
/** Share of the links that are older than the period. */
const olderShare = 0.45;
/**
 * The most clicked links of each workspace are older than the period and do not decay: a new one would dominate most of
 * its days.
 */
const establishedLinks = 10;
/** New links begin in this first part of the days, for the same reason. */
const birthDaysShare = 0.9;
/** Range of the days after which a decaying link has 1/e of its first day's clicks. */
const lifeDaysMin = 4;
const lifeDaysMax = 45;

/** Profiles of links, distributed among the workspaces by their shares of the clicks. */
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

/** The clicks of each link on each day, as shares that add up to 1; days are requested in order. */
export class DailyClicks {
  readonly #profiles: LinkProfiles;
  /** The remaining decaying part of each link on the current day; 0 before its first day. */
  readonly #decaying: Float64Array;
  /** The factor of each link that makes the clicks of all days add up to its share. */
  readonly #factors: Float64Array;
  #day = 0;

  /** `dayWeights` is the activity of each day relative to the others. */
  constructor(profiles: LinkProfiles, dayWeights: readonly number[]) {
    const count = profiles.shares.length;
    this.#profiles = profiles;
    this.#decaying = new Float64Array(count);
    this.#factors = new Float64Array(count);
    for (let link = 0; link < count; link++) {
      const decay = profiles.dailyDecay[link] ?? 1;
      let decaying = 1;
      let sum = 0;
      for (let day = profiles.birthDays[link] ?? 0; day < dayWeights.length; day++) {
        sum += (dayWeights[day] ?? 0) * (baselineShare + decaying);
        decaying *= decay;
      }
      this.#factors[link] = (profiles.shares[link] ?? 0) / sum;
    }
  }

  /** Writes the next day's share of each link into `weights` and returns their sum. */
  next(dayWeight: number, weights: Float64Array): number {
    const { birthDays, dailyDecay } = this.#profiles;
    const decaying = this.#decaying;
    let sum = 0;
    for (let link = 0; link < weights.length; link++) {
      const birthDay = birthDays[link] ?? 0;
      const decayed = birthDay === this.#day ? 1 : (decaying[link] ?? 0) * (dailyDecay[link] ?? 1);
      decaying[link] = decayed;
      const weight = this.#day < birthDay ? 0 : (this.#factors[link] ?? 0) * dayWeight * (baselineShare + decayed);
      weights[link] = weight;
      sum += weight;
    }
    this.#day++;
    return sum;
  }
}
