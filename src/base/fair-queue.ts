/**
 * A fair queue: each party has at most one job running, and waiting parties are served round robin.
 *
 * 1. There are two lanes, each with one running job. A party with slow jobs uses only the long lane, so a job waits
 *    for at most one slow job of each party that was not yet known to be slow.
 * 2. The jobs of one party run in the order of their arrival.
 * 3. Bounds: the waiting jobs of each party, all waiting jobs, and the waiting time of a job.
 */
import { LruCache } from "./lru-cache.ts";

/** The bounds of a queue. */
type FairQueueOptions = {
  /** A party whose jobs take longer uses only the long lane. */
  longMs: number;
  waitingMax: number;
  waitingPerPartyMax: number;
  waitMaxMs: number;
  /** Monotonic time in milliseconds. */
  now?: () => number;
};

/** The outcome of a job: done, or not started because a queue is full or the job waited too long. */
type FairQueueResult<Value> =
  | { kind: "done"; value: Value }
  | { kind: "partyFull" }
  | { kind: "full" }
  | { kind: "late" };

/** Where a job runs. Only jobs in the long lane, of parties with slow jobs, delay each other. */
type Lane = "short" | "long";
type Waiter = { since: number; begin(lane: Lane | "late"): void };

/** The cache of parties' durations holds at least this many, and at most twice as many. */
const partiesMax = 10_000;
/** The remembered duration of a party decays by this factor with each job: from 1 s to 100 ms in eleven jobs. */
const keptPart = 0.8;

/** See the top of this file. */
export class FairQueue<Party> {
  readonly #options: Required<FairQueueOptions>;
  /** Waiting jobs by party, in the order in which the parties are served. */
  readonly #waiting = new Map<Party, Waiter[]>();
  readonly #running = new Set<Party>();
  readonly #busy = new Set<Lane>();
  readonly #times = new LruCache<Party, number>(partiesMax);
  #waitingCount = 0;

  constructor(options: FairQueueOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** The number of waiting jobs. */
  get waiting(): number {
    return this.#waitingCount;
  }

  /** Runs the job when it is the party's turn, or returns why it was not started. */
  async run<Value>(party: Party, work: (lane: Lane) => Promise<Value>): Promise<FairQueueResult<Value>> {
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
      return { kind: "done", value: await work(lane) };
    } finally {
      this.#times.set(party, Math.max(now() - begin, keptPart * this.#timeOf(party)));
      this.#running.delete(party);
      this.#busy.delete(lane);
      this.#goBehind(party);
      this.#serve();
    }
  }

  /** Starts the next job of each party, in order, while a lane is free. */
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

  /** Updates the counts after a job of the party left the queue. */
  #left(party: Party, own: Waiter[]): void {
    this.#waitingCount--;
    if (own.length === 0) this.#waiting.delete(party);
  }

  /** Moves a served party behind the other parties. */
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
