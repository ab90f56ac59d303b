import type { SeededRandom } from "./random.ts";
import { wholeParts, zipfShares } from "./shares.ts";

/**
 * When links are clicked: some for as long as they are there, others mostly in the days after they were made.
 * All arrays have one number for each link; links of a workspace lie together, the most clicked of each first.
 */
export type LinkLives = {
  /** Index of the link's workspace, from 0; the first has the most clicks. */
  workspaces: Uint32Array;
  /** The link's part of all clicks. */
  shares: Float64Array;
  /** Index of the day on which its clicks begin. */
  birthDays: Uint32Array;
  /** What is left of the passing part of its clicks after each day. */
  dailyRests: Float64Array;
};

/** Of a link that is there for long, as of one that is forgotten soon: the part of its first day that stays for ever. */
export const lastingPart = 0.08;

/** Links that keep being clicked as on their first day. */
const evergreenPart = 0.6;
/** Links that are older than what is told of them. */
const olderPart = 0.45;
/** The most clicked links of each workspace are older and evergreen: one that is new would be most of its days. */
const establishedLinks = 10;
/** The part of the days on which links begin, for the same reason. */
const beginningPart = 0.9;
/** Days after which a forgotten link has 1/e of its first day's clicks. */
const lifeDaysMin = 4;
const lifeDaysMax = 45;

/** Lives of so many links, shared out among the workspaces by how many clicks those have. */
export function linkLives(
  { links, workspaces, days }: { links: number; workspaces: number; days: number },
  random: SeededRandom,
): LinkLives {
  const workspaceShares = zipfShares(workspaces);
  const lives: LinkLives = {
    workspaces: new Uint32Array(links),
    shares: new Float64Array(links),
    birthDays: new Uint32Array(links),
    dailyRests: new Float64Array(links),
  };
  let link = 0;
  for (const [workspace, count] of wholeParts(links, workspaceShares).entries()) {
    for (const [rank, share] of zipfShares(count).entries()) {
      const isEstablished = rank < establishedLinks;
      lives.workspaces[link] = workspace;
      lives.shares[link] = share * (workspaceShares[workspace] ?? 0);
      lives.birthDays[link] = isEstablished || random.next() < olderPart ? 0 : random.below(days * beginningPart);
      const lifeDays = lifeDaysMin + random.next() * (lifeDaysMax - lifeDaysMin);
      lives.dailyRests[link] = isEstablished || random.next() < evergreenPart ? 1 : Math.exp(-1 / lifeDays);
      link++;
    }
  }
  return lives;
}

/** The clicks of each link on each day, of a number of clicks that together is 1; days are asked for one after another. */
export class DailyClicks {
  readonly #lives: LinkLives;
  /** What of each link's passing part is left on the day at hand; 0 before its first day. */
  readonly #passing: Float64Array;
  /** What a link's clicks have to be multiplied with, so that those of all days are its share. */
  readonly #factors: Float64Array;
  #day = 0;

  /** `dayWeights` says how busy each day is beside the others. */
  constructor(lives: LinkLives, dayWeights: readonly number[]) {
    const count = lives.shares.length;
    this.#lives = lives;
    this.#passing = new Float64Array(count);
    this.#factors = new Float64Array(count);
    for (let link = 0; link < count; link++) {
      const rest = lives.dailyRests[link] ?? 1;
      let passing = 1;
      let sum = 0;
      for (let day = lives.birthDays[link] ?? 0; day < dayWeights.length; day++) {
        sum += (dayWeights[day] ?? 0) * (lastingPart + passing);
        passing *= rest;
      }
      this.#factors[link] = (lives.shares[link] ?? 0) / sum;
    }
  }

  /** Writes the next day's part of the clicks into `weights`, link by link, and returns their sum. */
  next(dayWeight: number, weights: Float64Array): number {
    const { birthDays, dailyRests } = this.#lives;
    const passing = this.#passing;
    let sum = 0;
    for (let link = 0; link < weights.length; link++) {
      const birthDay = birthDays[link] ?? 0;
      const left = birthDay === this.#day ? 1 : (passing[link] ?? 0) * (dailyRests[link] ?? 1);
      passing[link] = left;
      const weight = this.#day < birthDay ? 0 : (this.#factors[link] ?? 0) * dayWeight * (lastingPart + left);
      weights[link] = weight;
      sum += weight;
    }
    this.#day++;
    return sum;
  }
}
