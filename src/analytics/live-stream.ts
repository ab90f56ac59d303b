import type { Actor } from "../access/actor.ts";
import { WakeablePause } from "../base/wakeable-pause.ts";
import type { Click } from "../clicks/click.ts";
import type { StoredRange } from "../clicks/ingest.ts";
import type { ClickSelection } from "../clicks/query.ts";
import { positionOfClick } from "../clicks/spool-format.ts";
import type { AppendedSince, LogRange } from "../clicks/store.ts";
import type { ClickEvent } from "./list-events.ts";
import { formatResumeToken, type ResumeToken } from "./resume-token.ts";

/** The actor and selection of a stream. */
export type Listener = { actor: Actor; selection: ClickSelection };

/** A batch: events, or none as a heartbeat; and the resume token after each event, and after the batch. */
export type LiveBatch = { events: readonly { event: ClickEvent; resumeToken: string }[]; resumeToken: string };

/** The limits of one stream. */
export type StreamBounds = {
  /** Events of a batch. */
  batchEventsMax: number;
  /** After this time without events the stream delivers an empty batch. */
  heartbeatMs: number;
  /** How often the client's access is checked again. */
  recheckMs: number;
  /** After this time the stream ends; the client may resume. */
  lifetimeMs: number;
  /** The stream ends if the client does not request the next batch within this time. */
  readTimeoutMs: number;
};

/** The dependencies of a stream. */
type StreamOptions = {
  resumeToken: ResumeToken | undefined;
  bounds: StreamBounds;
  spoolIds(): string[];
  cursor(spoolId: string): Promise<number>;
  read(request: AppendedSince): Promise<Click[]>;
  describe(actor: Actor, clicks: readonly Click[]): Promise<ClickEvent[]>;
  authorize(): Promise<Listener>;
  onEnd(): void;
};

/** Bytes of a spool in one query, so that a stream far behind catches up in small steps. */
const scanBytesMin = 1024 ** 2;
/** Growth of the next query's range when a query found less than a batch and more clicks are waiting. */
const scanGrowth = 8;

/** One client's stream of clicks; see live-events.ts. */
export class LiveStream {
  readonly #options: StreamOptions;
  readonly #ended = Promise.withResolvers<undefined>();
  /** The stream's resume token. Positions only grow. */
  readonly #positions: Map<string, number>;
  /** The known cursors of the store; the spool read last is at the end. */
  readonly #cursors = new Map<string, number>();
  readonly #endsAt: number;
  #listener: Listener | undefined;
  #recheckAt = 0;
  /** Zero, so that the client gets a token to resume with before the first event. */
  #heartbeatAt = 0;
  #scanBytes = scanBytesMin;
  #readTimer: Timer | undefined;
  #isEnded = false;
  readonly #pause = new WakeablePause();

  constructor(options: StreamOptions) {
    const { resumeToken, bounds, spoolIds } = options;
    this.#options = options;
    this.#endsAt = performance.now() + bounds.lifetimeMs;
    this.#positions = new Map(resumeToken);
    // A spool that is not in the token was created after it. A spool that was unreadable when the token was written
    // looks the same and would be delivered twice; if that ever happens, tokens must name unreadable spools too.
    if (resumeToken !== undefined) for (const spoolId of spoolIds()) this.#advance(spoolId, 0);
  }

  /** Reads the store's cursors. Call it once, before `next`. Throws like `open`. */
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

  /** The next batch, as soon as there is one; undefined when the stream has ended. An error ends the stream. */
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

  /** Call this after every step; `hasOwnClicks` if it stored clicks of the stream's workspace. */
  advanced({ spoolId, from, to }: StoredRange, hasOwnClicks: boolean): void {
    // A spool first seen now was created, or unreadable, when the stream was opened.
    this.#advance(spoolId, this.#positions.get(spoolId) ?? from);
    const hasAllBefore = this.#positions.get(spoolId) === from;
    this.#cursors.set(spoolId, Math.max(this.#cursors.get(spoolId) ?? 0, to));
    if (hasAllBefore && !hasOwnClicks) this.#advance(spoolId, to);
    else this.#pause.end();
  }

  /** Ends the stream at once. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#readTimer);
    this.#ended.resolve(undefined);
    this.#pause.end();
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
      // A long search for rare clicks sends heartbeats too.
      if (now >= this.#heartbeatAt) return this.#toBatch([]);
      const range = this.#nextRange();
      if (range === undefined)
        await this.#pause.begin(Math.min(this.#heartbeatAt, this.#recheckAt, this.#endsAt) - now);
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
        // The spool no longer exists and was delivered completely.
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

  /** So that a busy spool does not delay the others. */
  #moveToEnd(spoolId: string): void {
    const cursor = this.#cursors.get(spoolId) ?? 0;
    this.#cursors.delete(spoolId);
    this.#cursors.set(spoolId, cursor);
  }

  #advance(spoolId: string, position: number): void {
    this.#positions.set(spoolId, Math.max(this.#positions.get(spoolId) ?? 0, position));
  }
}
