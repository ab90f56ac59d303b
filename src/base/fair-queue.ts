/**
 * A queue that is fair between parties: each has at most one piece of work running, and those that wait take turns.
 *
 * 1. Two lanes, with one piece of work running in each. A party whose work takes long uses the long lane alone, so that
 *    work of the others waits for at most one piece of work of each party that was not known to take long.
 * 2. Within a lane, parties are served round robin; the work of one party runs in its order.
 * 3. Bounds: waiting places of a party and of all, and the time that work waits for its turn.
 */
import { LruCache } from "./lru-cache.ts";

/** Bounds and meanings of a queue. */
export type FairQueueOptions = {
  /** Work that takes longer is long. */
  longMs: number;
  waitingMax: number;
  waitingPerPartyMax: number;
  waitMaxMs: number;
  /** Monotonic time in milliseconds. */
  now?: () => number;
};

/** What became of work: done, or not started, because too much waits already or it waited for too long. */
export type FairQueueResult<Value> =
  | { kind: "done"; value: Value }
  | { kind: "partyFull" }
  | { kind: "full" }
  | { kind: "late" };

type Lane = "short" | "long";
type Waiter = { since: number; begin(lane: Lane | "late"): void };

/** Parties whose times are remembered; twice as many at most. */
const partiesMax = 10_000;
/** How much of its longest time a party keeps with each piece of work: from 1 s to 100 ms in eleven. */
const keptPart = 0.8;

/** See the top of this file. */
export class FairQueue<Party> {
  readonly #options: Required<FairQueueOptions>;
  /** Parties in the order of their next turns. */
  readonly #waiting = new Map<Party, Waiter[]>();
  readonly #running = new Set<Party>();
  readonly #busy = new Set<Lane>();
  readonly #times = new LruCache<Party, number>(partiesMax);
  #waitingCount = 0;

  constructor(options: FairQueueOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** How much work waits for its turn. */
  get waiting(): number {
    return this.#waitingCount;
  }

  /** Does the work in the party's turn, or tells why it was not started. */
  async run<Value>(party: Party, work: () => Promise<Value>): Promise<FairQueueResult<Value>> {
    const { waitingMax, waitingPerPartyMax, now } = this.#options;
    const own = this.#waiting.get(party) ?? [];
    if (own.length >= waitingPerPartyMax) return { kind: "partyFull" };
    if (this.#waitingCount >= waitingMax) return { kind: "full" };
    const { promise, resolve } = Promise.withResolvers<Lane | "late">();
    own.push({ since: now(), begin: resolve });
    this.#waiting.set(party, own);
    this.#waitingCount++;
    this.#serve();
    const lane = await promise;
    if (lane === "late") return { kind: "late" };
    const begin = now();
    try {
      return { kind: "done", value: await work() };
    } finally {
      this.#times.set(party, Math.max(now() - begin, keptPart * this.#timeOf(party)));
      this.#running.delete(party);
      this.#busy.delete(lane);
      this.#goBehind(party);
      this.#serve();
    }
  }

  /** Begins the work of every party whose turn it is, as far as lanes are free. */
  #serve(): void {
    for (const [party, own] of [...this.#waiting]) {
      this.#refuseLate(party, own);
      if (this.#busy.size === 2) return;
      const lane = this.#running.has(party) ? undefined : this.#freeLane(party);
      const next = lane === undefined ? undefined : own.shift();
      if (lane === undefined || next === undefined) continue;
      this.#left(party, own);
      this.#running.add(party);
      this.#busy.add(lane);
      next.begin(lane);
    }
  }

  #freeLane(party: Party): Lane | undefined {
    const lanes: Lane[] = this.#timeOf(party) > this.#options.longMs ? ["long"] : ["short", "long"];
    return lanes.find((lane) => !this.#busy.has(lane));
  }

  #refuseLate(party: Party, own: Waiter[]): void {
    const { now, waitMaxMs } = this.#options;
    while (own[0] !== undefined && now() - own[0].since > waitMaxMs) {
      own.shift()?.begin("late");
      this.#left(party, own);
    }
  }

  /** One piece of the party's work no longer waits. */
  #left(party: Party, own: Waiter[]): void {
    this.#waitingCount--;
    if (own.length === 0) this.#waiting.delete(party);
  }

  /** What else of a served party's work waits has its turn after the other parties. */
  #goBehind(party: Party): void {
    const own = this.#waiting.get(party);
    if (own === undefined) return;
    this.#waiting.delete(party);
    this.#waiting.set(party, own);
  }

  #timeOf(party: Party): number {
    return this.#times.get(party) ?? 0;
  }
}
