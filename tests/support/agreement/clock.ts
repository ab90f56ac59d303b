import { dayMs, hourMs, minuteMs } from "../../../src/base/time.ts";

/**
 * The clocks of all time zones as plain tables: the UTC offset of each quarter of an hour of the span, read from the
 * runtime's formatter. The table uses no code of src/analytics, because it checks that code.
 */

export type Unit = "hour" | "day" | "week" | "month";

const quarterMs = 15 * minuteMs;
/** Wide enough for every question, and for the range of the same length before it. */
const span = { from: Date.UTC(2021, 0), to: Date.UTC(2028, 0) };

/** The clock of one zone. All offsets in the span, and all their changes, are multiples of a quarter of an hour. */
export class PlainClock {
  readonly #offsets: Int32Array;
  readonly #starts: Record<Unit, number[]>;

  constructor(zone: string) {
    this.#offsets = offsetsOf(zone);
    this.#starts = startsOf(this.#offsets);
  }

  /** The wall time at an instant: the milliseconds at which a UTC clock shows the same. */
  wallAt(instant: number): number {
    const offset = this.#offsets[Math.floor((instant - span.from) / quarterMs)];
    if (offset === undefined) throw new Error(`${instant} is not in the table.`);
    return instant + offset;
  }

  /** The first whole minute at which the clock shows the wall time or a later one. */
  firstAt(wall: number): number {
    for (let instant = wall - dayMs; instant <= wall + dayMs; instant += minuteMs) {
      if (this.wallAt(instant) >= wall) return instant;
    }
    throw new Error(`No clock shows ${wall} within a day.`);
  }

  /** The start of the unit that is `count` units after the unit of the instant; 0 for that unit itself. */
  start(unit: Unit, instant: number, later = 0): number {
    const start = this.#starts[unit][this.#indexOf(unit, instant) + later];
    if (start === undefined) throw new Error(`There is no ${unit} ${later} after ${instant} in the table.`);
    return start;
  }

  /** The starts of the units that overlap the range. */
  startsIn(unit: Unit, from: number, to: number): number[] {
    return this.#starts[unit].slice(this.#indexOf(unit, from), this.#indexOf(unit, to - 1) + 1);
  }

  #indexOf(unit: Unit, instant: number): number {
    return lastAtOrBefore(this.#starts[unit], instant);
  }
}

/** The index of the last of the ascending starts that is at or before the instant; -1 for none. */
export function lastAtOrBefore(starts: readonly number[], instant: number): number {
  let index = -1;
  for (let step = 2 ** 20; step >= 1; step /= 2) {
    const start = starts[index + step];
    if (start !== undefined && start <= instant) index += step;
  }
  return index;
}

function offsetsOf(zone: string): Int32Array {
  const formatter = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  const offsetAt = (instant: number): number => {
    const name = formatter.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours, minutes] = /^GMT(?:([-+])(\d{2}):(\d{2}))?$/.exec(name) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * hourMs + Number(minutes ?? 0) * minuteMs);
  };
  const offsets = new Int32Array((span.to - span.from) / quarterMs);
  const quartersPerDay = dayMs / quarterMs;
  for (let day = 0; day < offsets.length; day += quartersPerDay) {
    const at = (quarter: number) => offsetAt(span.from + quarter * quarterMs);
    const offset = at(day);
    const isChanged = offset !== at(day + quartersPerDay);
    for (let quarter = day; quarter < day + quartersPerDay; quarter++) {
      offsets[quarter] = isChanged ? at(quarter) : offset;
    }
  }
  return offsets;
}

/**
 * A unit begins with a quarter whose hour, date or month differs from that of the quarter before; a week with a Monday.
 * An hour also begins where the offset changes.
 */
function startsOf(offsets: Int32Array): Record<Unit, number[]> {
  const starts: Record<Unit, number[]> = { hour: [], day: [], week: [], month: [] };
  let before = { offset: Number.NaN, hour: Number.NaN, day: Number.NaN, month: Number.NaN };
  for (const [quarter, offset] of offsets.entries()) {
    const instant = span.from + quarter * quarterMs;
    const hour = Math.floor((instant + offset) / hourMs);
    const day = Math.floor((instant + offset) / dayMs);
    const month = day === before.day ? before.month : new Date(instant + offset).getUTCMonth();
    if (hour !== before.hour || offset !== before.offset) starts.hour.push(instant);
    if (day !== before.day) starts.day.push(instant);
    if (day !== before.day && new Date(instant + offset).getUTCDay() === 1) starts.week.push(instant);
    if (month !== before.month) starts.month.push(instant);
    before = { offset, hour, day, month };
  }
  return starts;
}
