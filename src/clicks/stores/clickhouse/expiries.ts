/**
 * The state of a workspace's expiries. Clicks that expire are counted into `expired_clicks`, and deleted later. Since
 * ClickHouse does both in two steps, the state says which of the two rows of a click counts:
 *
 * 1. An expiry is planned: `planned` has its bounds. None of its rows counts.
 * 2. Its rows are inserted, with the next `generation`. Repeating this changes nothing, because rows of the same
 *    generation and sort order replace each other.
 * 3. It takes effect by one insert into `expiries`: `generation` includes its rows, and `hidden` excludes its clicks.
 * 4. Its clicks are deleted `hiddenMs` later, and leave `hidden`. A query that began with an older state has ended by
 *    then.
 */
import { type Clock, minuteMs, secondMs } from "../../../base/time.ts";
import { TimedCache } from "../../../base/timed-cache.ts";
import type { Row } from "./client.ts";
import { binding, type Statement } from "./sql.ts";

/** Clicks earlier than `before`, in milliseconds, of batches up to `upTo`. */
export type ExpiredClicks = { before: number; upTo: number };

/** The state of a workspace's expiries. `since` is when an expiry took effect, in milliseconds. */
export type Expiry = {
  version: number;
  /** Rows of expired_clicks up to this generation count. 0 when nothing has expired. */
  generation: number;
  planned: ExpiredClicks | undefined;
  hidden: readonly (ExpiredClicks & { since: number })[];
};

/** How long the clicks of an expiry stay in `clicks`: longer than a query and the cache of states together. */
export const hiddenMs = 5 * minuteMs;
/** The most expiries of one workspace whose clicks wait to be deleted; more wait for the next call. */
export const hiddenMax = 8;

/** Workspaces in the cache; at most twice as many. */
const cachedMax = 10_000;
/** How long this process may count with a state that another one has replaced. Both give the same counts. */
const cachedMs = 10 * secondMs;

const noExpiry: Expiry = { version: 0, generation: 0, planned: undefined, hidden: [] };

/** Reads states, and keeps them for a few seconds. */
export class Expiries {
  readonly #read: (statement: Statement) => Promise<Row[]>;
  readonly #cached: TimedCache<number, Expiry>;

  constructor(read: (statement: Statement) => Promise<Row[]>, now: Clock) {
    this.#read = read;
    this.#cached = new TimedCache({ entriesMax: cachedMax, lifeMs: cachedMs, now });
  }

  /** The state of a workspace, at most cachedMs old. */
  async find(workspaceId: number): Promise<Expiry> {
    return await this.#cached.find(workspaceId, () => this.#readExpiry(workspaceId));
  }

  /** The current state of a workspace. */
  async read(workspaceId: number): Promise<Expiry> {
    return await this.#cached.read(workspaceId, () => this.#readExpiry(workspaceId));
  }

  /** The workspaces with clicks that wait to be deleted since before an instant. */
  async due(instant: number): Promise<number[]> {
    const { parameters, bind } = binding();
    const rows = await this.#read({
      sql: `SELECT workspaceId FROM expiries FINAL WHERE arrayExists(h -> h.since < ${bind("Int64", instant)}, hidden)`,
      parameters,
    });
    return rows.map(({ workspaceId }) => Number(workspaceId));
  }

  /** Forgets the states that this process knows, because it changed one. */
  forget(): void {
    this.#cached.clear();
  }

  async #readExpiry(workspaceId: number): Promise<Expiry> {
    const { parameters, bind } = binding();
    const [row] = await this.#read({
      sql: `SELECT version, generation, planned, hidden FROM expiries WHERE workspaceId = ${bind("UInt32", workspaceId)}
ORDER BY version DESC LIMIT 1`,
      parameters,
    });
    return row === undefined ? noExpiry : expiryOf(row);
  }
}

/** The columns of `expiries`, in the order of expiryValues. */
export const expiryColumns = ["workspaceId", "version", "generation", "planned", "hidden"] as const;

/** The values of a state's row, which replaces the one before. */
export function expiryValues(workspaceId: number, { version, generation, planned, hidden }: Expiry): unknown[] {
  return [workspaceId, version, generation, planned === undefined ? [] : [planned], hidden];
}

function expiryOf({ version, generation, planned, hidden }: Row): Expiry {
  const [plan] = tuplesOf(planned);
  return {
    version: Number(version),
    generation: Number(generation),
    planned: plan === undefined ? undefined : { before: numberAt(plan, "before"), upTo: numberAt(plan, "upTo") },
    hidden: tuplesOf(hidden).map((tuple) => ({
      before: numberAt(tuple, "before"),
      upTo: numberAt(tuple, "upTo"),
      since: numberAt(tuple, "since"),
    })),
  };
}

/** An Array of named tuples, which the format JSONEachRow writes as objects. */
function tuplesOf(value: unknown): object[] {
  if (!Array.isArray(value)) throw new Error("ClickHouse returned no list of expiries.");
  return value.filter((tuple) => typeof tuple === "object" && tuple !== null);
}

function numberAt(tuple: object, name: string): number {
  const number = Number(Reflect.get(tuple, name));
  if (!Number.isSafeInteger(number)) throw new Error(`ClickHouse returned an expiry without ${name}.`);
  return number;
}
