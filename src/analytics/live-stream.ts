import type { Actor } from "../access/actor.ts";
import type { Click } from "../clicks/click.ts";
import type { ClickSelection } from "../clicks/query.ts";
import { positionOfClick } from "../clicks/spool-format.ts";
import type { Arrival, SpoolStretch } from "../clicks/store.ts";
import type { ClickEvent } from "./list-events.ts";
import { type Mark, writeMark } from "./live-mark.ts";

/** Who listens, and to which clicks. */
export type Listening = { actor: Actor; selection: ClickSelection };

/** A step by which the store's cursor in a spool has moved, and the workspaces of the clicks that it stored. */
export type Moved = SpoolStretch & { workspaceIds: readonly number[] };

/** What a stream hands over at a time: events, or none for a sign of life; and the mark behind each, and behind all. */
export type LivePart = { events: readonly { event: ClickEvent; mark: string }[]; mark: string };

/** The bounds of one stream. */
export type StreamBounds = {
  /** Events of a part. */
  partEventsMax: number;
  /** After so long without events there is a part with none. */
  heartBeatMs: number;
  /** How often is asked whether the listener still may. */
  renewMs: number;
  /** After so long the stream ends; whoever wants more resumes. */
  lifeMs: number;
  /** A part that is followed by no question for the next one ends the stream after so long. */
  untakenMs: number;
};

/** What a stream works with. */
export type StreamOptions = {
  mark: Mark | undefined;
  bounds: StreamBounds;
  spoolIds(): string[];
  cursor(spoolId: string): Promise<number>;
  read(asked: Arrival): Promise<Click[]>;
  describe(actor: Actor, clicks: readonly Click[]): Promise<ClickEvent[]>;
  listen(): Promise<Listening>;
  onEnd(): void;
};

/** Bytes of a spool that one question is about, so that a mark far behind is read on in small steps. */
const lookBytesMin = 1024 ** 2;
/** How much further the next look goes when one has found less than a part, and there is more behind it. */
const lookGrowth = 8;

/** One listener's stream of clicks; see live-events.ts. */
export class LiveStream {
  readonly #options: StreamOptions;
  readonly #ended = Promise.withResolvers<undefined>();
  /** The stream's mark. A position only grows. */
  readonly #positions: Map<string, number>;
  /** The store's cursors as far as they are known; the spool that was read last is at the end. */
  readonly #cursors = new Map<string, number>();
  readonly #endsAt: number;
  #listening: Listening | undefined;
  #renewAt = 0;
  /** At once, so that the listener has a mark to resume with before anything happens. */
  #beatAt = 0;
  #lookBytes = lookBytesMin;
  #untaken: Timer | undefined;
  #isEnded = false;
  #wake = () => {};

  constructor(options: StreamOptions) {
    const { mark, bounds, spoolIds } = options;
    this.#options = options;
    this.#endsAt = performance.now() + bounds.lifeMs;
    this.#positions = new Map(mark);
    // A spool that the mark does not name was begun after it. One that could not be read when the mark was written looks
    // the same, and would be told again: if that is ever seen, marks must name unreadable spools too.
    if (mark !== undefined) for (const spoolId of spoolIds()) this.#advance(spoolId, 0);
  }

  /** Finds out where the store is. To be called once, before anything is asked of the stream. Throws as `open`. */
  async begin(): Promise<void> {
    try {
      await this.#renew();
      await this.#learnCursors();
      this.#expectNext();
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** The next part, as soon as there is one; undefined when the stream has ended. What it throws has ended the stream. */
  async next(): Promise<LivePart | undefined> {
    clearTimeout(this.#untaken);
    try {
      const part = await Promise.race([this.#nextPart(), this.#ended.promise]);
      if (part === undefined) this.end();
      else this.#expectNext();
      return part;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** To be told of every step; `concernsIt` when it stored clicks of the stream's workspace. */
  moved({ spoolId, from, to }: Moved, concernsIt: boolean): void {
    // A spool that is heard of for the first time was begun, or could not be read, when the stream was opened.
    this.#advance(spoolId, this.#positions.get(spoolId) ?? from);
    const hasAllBefore = this.#positions.get(spoolId) === from;
    this.#cursors.set(spoolId, Math.max(this.#cursors.get(spoolId) ?? 0, to));
    if (hasAllBefore && !concernsIt) this.#advance(spoolId, to);
    else this.#wake();
  }

  /** Ends the stream at once. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#untaken);
    this.#ended.resolve(undefined);
    this.#wake();
    this.#options.onEnd();
  }

  #expectNext(): void {
    if (!this.#isEnded) this.#untaken = setTimeout(() => this.end(), this.#options.bounds.untakenMs);
  }

  async #nextPart(): Promise<LivePart | undefined> {
    while (!this.#isEnded) {
      const now = performance.now();
      if (now >= this.#endsAt) return undefined;
      const listening = now >= this.#renewAt ? await this.#renew() : this.#listening;
      // A long search for rare clicks is alive too.
      if (now >= this.#beatAt) return this.#part([]);
      const stretch = this.#nextStretch();
      if (stretch === undefined) await this.#pause(Math.min(this.#beatAt, this.#renewAt, this.#endsAt) - now);
      else if (listening !== undefined) {
        const events = await this.#readOn(listening, stretch);
        if (events.length > 0) return this.#part(events);
      }
    }
    return undefined;
  }

  #part(events: LivePart["events"]): LivePart {
    this.#beatAt = performance.now() + this.#options.bounds.heartBeatMs;
    return { events, mark: writeMark(this.#positions) };
  }

  async #renew(): Promise<Listening> {
    const listening = await this.#options.listen();
    this.#listening = listening;
    this.#renewAt = performance.now() + this.#options.bounds.renewMs;
    return listening;
  }

  async #learnCursors(): Promise<void> {
    const { mark, spoolIds, cursor } = this.#options;
    const current = new Set(spoolIds());
    for (const spoolId of new Set([...current, ...this.#positions.keys()])) {
      const position = await cursor(spoolId);
      if (mark === undefined) this.#advance(spoolId, this.#positions.get(spoolId) ?? position);
      if (!current.has(spoolId) && (this.#positions.get(spoolId) ?? 0) >= position) {
        // All of a spool that is no more was told: nothing will come from it.
        this.#positions.delete(spoolId);
      } else {
        this.#cursors.set(spoolId, Math.max(this.#cursors.get(spoolId) ?? 0, position));
      }
    }
  }

  #nextStretch(): SpoolStretch | undefined {
    for (const [spoolId, cursor] of this.#cursors) {
      const from = this.#positions.get(spoolId) ?? cursor;
      if (from < cursor) return { spoolId, from, to: Math.min(cursor, from + this.#lookBytes) };
    }
    return undefined;
  }

  async #readOn({ actor, selection }: Listening, stretch: SpoolStretch): Promise<LivePart["events"]> {
    const { bounds, read, describe } = this.#options;
    const { spoolId, to } = stretch;
    const clicks = this.#isEnded ? [] : await read({ selection, stretch, limit: bounds.partEventsMax });
    const isFull = clicks.length >= bounds.partEventsMax;
    const isBehind = to < (this.#cursors.get(spoolId) ?? 0);
    this.#lookBytes = isBehind && !isFull ? this.#lookBytes * lookGrowth : lookBytesMin;
    const described = await describe(actor, clicks);
    const events = described.map((event, index) => {
      const isLast = !isFull && index === described.length - 1;
      this.#advance(spoolId, isLast ? to : positionOfClick(event.click.id) + 1);
      return { event, mark: writeMark(this.#positions) };
    });
    if (!isFull) this.#advance(spoolId, to);
    this.#putLast(spoolId);
    return events;
  }

  /** So that a busy spool does not keep the others waiting. */
  #putLast(spoolId: string): void {
    const cursor = this.#cursors.get(spoolId) ?? 0;
    this.#cursors.delete(spoolId);
    this.#cursors.set(spoolId, cursor);
  }

  #advance(spoolId: string, position: number): void {
    this.#positions.set(spoolId, Math.max(this.#positions.get(spoolId) ?? 0, position));
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, ms));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
