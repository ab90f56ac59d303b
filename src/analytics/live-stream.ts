import type { Actor } from "../access/actor.ts";
import type { Click } from "../clicks/click.ts";
import type { StoredRange } from "../clicks/ingest.ts";
import type { ClickSelection } from "../clicks/query.ts";
import { positionOfClick } from "../clicks/spool-format.ts";
import type { AppendedSince, LogRange } from "../clicks/store.ts";
import type { ClickEvent } from "./list-events.ts";
import { formatResumeToken, type ResumeToken } from "./resume-token.ts";

/** Who listens, and to which clicks. */
export type Listener = { actor: Actor; selection: ClickSelection };

/** What a stream hands over at a time: events, or none for a sign of life; and the mark behind each, and behind all. */
export type LiveBatch = { events: readonly { event: ClickEvent; resumeToken: string }[]; resumeToken: string };

/** The bounds of one stream. */
export type StreamBounds = {
  /** Events of a part. */
  batchEventsMax: number;
  /** After so long without events there is a part with none. */
  heartbeatMs: number;
  /** How often is asked whether the listener still may. */
  recheckMs: number;
  /** After so long the stream ends; whoever wants more resumes. */
  lifetimeMs: number;
  /** A part that is followed by no question for the next one ends the stream after so long. */
  readTimeoutMs: number;
};

/** What a stream works with. */
type StreamOptions = {
  resumeToken: ResumeToken | undefined;
  bounds: StreamBounds;
  spoolIds(): string[];
  cursor(spoolId: string): Promise<number>;
  read(asked: AppendedSince): Promise<Click[]>;
  describe(actor: Actor, clicks: readonly Click[]): Promise<ClickEvent[]>;
  authorize(): Promise<Listener>;
  onEnd(): void;
};

/** Bytes of a spool that one question is about, so that a mark far behind is read on in small steps. */
const scanBytesMin = 1024 ** 2;
/** How much further the next look goes when one has found less than a part, and there is more behind it. */
const scanGrowth = 8;

/** One listener's stream of clicks; see live-events.ts. */
export class LiveStream {
  readonly #options: StreamOptions;
  readonly #ended = Promise.withResolvers<undefined>();
  /** The stream's mark. A position only grows. */
  readonly #positions: Map<string, number>;
  /** The store's cursors as far as they are known; the spool that was read last is at the end. */
  readonly #cursors = new Map<string, number>();
  readonly #endsAt: number;
  #listener: Listener | undefined;
  #recheckAt = 0;
  /** At once, so that the listener has a mark to resume with before anything happens. */
  #heartbeatAt = 0;
  #scanBytes = scanBytesMin;
  #readTimer: Timer | undefined;
  #isEnded = false;
  #wake = () => {};

  constructor(options: StreamOptions) {
    const { resumeToken, bounds, spoolIds } = options;
    this.#options = options;
    this.#endsAt = performance.now() + bounds.lifetimeMs;
    this.#positions = new Map(resumeToken);
    // A spool that the mark does not name was begun after it. One that could not be read when the mark was written looks
    // the same, and would be told again: if that is ever seen, marks must name unreadable spools too.
    if (resumeToken !== undefined) for (const spoolId of spoolIds()) this.#advance(spoolId, 0);
  }

  /** Finds out where the store is. To be called once, before anything is asked of the stream. Throws as `open`. */
  async begin(): Promise<void> {
    try {
      await this.#recheck();
      await this.#fetchCursors();
      this.#startReadTimer();
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** The next part, as soon as there is one; undefined when the stream has ended. What it throws has ended the stream. */
  async next(): Promise<LiveBatch | undefined> {
    clearTimeout(this.#readTimer);
    try {
      const toBatch = await Promise.race([this.#nextBatch(), this.#ended.promise]);
      if (toBatch === undefined) this.end();
      else this.#startReadTimer();
      return toBatch;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** To be told of every step; `concernsIt` when it stored clicks of the stream's workspace. */
  advanced({ spoolId, from, to }: StoredRange, hasOwnClicks: boolean): void {
    // A spool that is heard of for the first time was begun, or could not be read, when the stream was opened.
    this.#advance(spoolId, this.#positions.get(spoolId) ?? from);
    const hasAllBefore = this.#positions.get(spoolId) === from;
    this.#cursors.set(spoolId, Math.max(this.#cursors.get(spoolId) ?? 0, to));
    if (hasAllBefore && !hasOwnClicks) this.#advance(spoolId, to);
    else this.#wake();
  }

  /** Ends the stream at once. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#readTimer);
    this.#ended.resolve(undefined);
    this.#wake();
    this.#options.onEnd();
  }

  #startReadTimer(): void {
    if (!this.#isEnded) this.#readTimer = setTimeout(() => this.end(), this.#options.bounds.readTimeoutMs);
  }

  async #nextBatch(): Promise<LiveBatch | undefined> {
    while (!this.#isEnded) {
      const now = performance.now();
      if (now >= this.#endsAt) return undefined;
      const listener = now >= this.#recheckAt ? await this.#recheck() : this.#listener;
      // A long search for rare clicks is alive too.
      if (now >= this.#heartbeatAt) return this.#toBatch([]);
      const range = this.#nextRange();
      if (range === undefined) await this.#pause(Math.min(this.#heartbeatAt, this.#recheckAt, this.#endsAt) - now);
      else if (listener !== undefined) {
        const events = await this.#readRange(listener, range);
        if (events.length > 0) return this.#toBatch(events);
      }
    }
    return undefined;
  }

  #toBatch(events: LiveBatch["events"]): LiveBatch {
    this.#heartbeatAt = performance.now() + this.#options.bounds.heartbeatMs;
    return { events, resumeToken: formatResumeToken(this.#positions) };
  }

  async #recheck(): Promise<Listener> {
    const listener = await this.#options.authorize();
    this.#listener = listener;
    this.#recheckAt = performance.now() + this.#options.bounds.recheckMs;
    return listener;
  }

  async #fetchCursors(): Promise<void> {
    const { resumeToken, spoolIds, cursor } = this.#options;
    const current = new Set(spoolIds());
    for (const spoolId of new Set([...current, ...this.#positions.keys()])) {
      const position = await cursor(spoolId);
      if (resumeToken === undefined) this.#advance(spoolId, this.#positions.get(spoolId) ?? position);
      if (!current.has(spoolId) && (this.#positions.get(spoolId) ?? 0) >= position) {
        // All of a spool that is no more was told: nothing will come from it.
        this.#positions.delete(spoolId);
      } else {
        this.#cursors.set(spoolId, Math.max(this.#cursors.get(spoolId) ?? 0, position));
      }
    }
  }

  #nextRange(): LogRange | undefined {
    for (const [spoolId, cursor] of this.#cursors) {
      const from = this.#positions.get(spoolId) ?? cursor;
      if (from < cursor) return { spoolId, from, to: Math.min(cursor, from + this.#scanBytes) };
    }
    return undefined;
  }

  async #readRange({ actor, selection }: Listener, range: LogRange): Promise<LiveBatch["events"]> {
    const { bounds, read, describe } = this.#options;
    const { spoolId, to } = range;
    const clicks = this.#isEnded ? [] : await read({ selection, range, limit: bounds.batchEventsMax });
    const isFull = clicks.length >= bounds.batchEventsMax;
    const isBehind = to < (this.#cursors.get(spoolId) ?? 0);
    this.#scanBytes = isBehind && !isFull ? this.#scanBytes * scanGrowth : scanBytesMin;
    const described = await describe(actor, clicks);
    const events = described.map((event, index) => {
      const isLast = !isFull && index === described.length - 1;
      this.#advance(spoolId, isLast ? to : positionOfClick(event.click.id) + 1);
      return { event, resumeToken: formatResumeToken(this.#positions) };
    });
    if (!isFull) this.#advance(spoolId, to);
    this.#moveToEnd(spoolId);
    return events;
  }

  /** So that a busy spool does not keep the others waiting. */
  #moveToEnd(spoolId: string): void {
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
