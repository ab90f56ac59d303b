import { WakeablePause } from "../base/wakeable-pause.ts";
import type { ChangedNoun } from "../database/outbox.ts";

/** The limits of one stream. */
export type ChangeStreamBounds = {
  /** After this time without a change the stream delivers an empty list. */
  heartbeatMs: number;
  /** How often the client's access is checked again. */
  recheckMs: number;
  /** After this time the stream ends; the client may open another one. */
  lifetimeMs: number;
};

type StreamOptions = {
  bounds: ChangeStreamBounds;
  /** Returns the nouns whose changes the client may know of. An error ends the stream. */
  authorize(): Promise<ReadonlySet<ChangedNoun>>;
  onEnd(): void;
};

/** One client's stream of changes; see live-changes.ts. */
export class ChangeStream {
  readonly #options: StreamOptions;
  readonly #endsAt: number;
  /** Nouns that changed since the last delivery: at most one entry for each noun, however slow the client is. */
  readonly #changed = new Set<ChangedNoun>();
  #visible: ReadonlySet<ChangedNoun> = new Set();
  #recheckAt = 0;
  /** Zero, so that the client learns at once that it misses no further change. */
  #heartbeatAt = 0;
  #isEnded = false;
  readonly #pause = new WakeablePause();

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#endsAt = performance.now() + options.bounds.lifetimeMs;
  }

  /** Checks the client's access. Call it once, before `next`. Throws like `authorize`. */
  async begin(): Promise<void> {
    try {
      await this.#recheck();
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /**
   * The nouns that changed, as soon as there are any; an empty list as a heartbeat; undefined when the stream has
   * ended. An error ends the stream.
   */
  async next(): Promise<ChangedNoun[] | undefined> {
    try {
      const nouns = await this.#nextNouns();
      if (nouns === undefined) this.end();
      return nouns;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** Call this for every change of the stream's workspace. */
  changed(noun: ChangedNoun): void {
    this.#changed.add(noun);
    this.#pause.end();
  }

  /** Ends the stream at once. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#pause.end();
    this.#options.onEnd();
  }

  async #nextNouns(): Promise<ChangedNoun[] | undefined> {
    const { heartbeatMs } = this.#options.bounds;
    while (!this.#isEnded) {
      const now = performance.now();
      if (now >= this.#endsAt) return undefined;
      if (now >= this.#recheckAt) await this.#recheck();
      const nouns = [...this.#changed].filter((noun) => this.#visible.has(noun));
      this.#changed.clear();
      if (nouns.length > 0 || now >= this.#heartbeatAt) {
        this.#heartbeatAt = now + heartbeatMs;
        return nouns;
      }
      await this.#pause.begin(Math.min(this.#heartbeatAt, this.#recheckAt, this.#endsAt) - now);
    }
    return undefined;
  }

  async #recheck(): Promise<void> {
    this.#visible = await this.#options.authorize();
    this.#recheckAt = performance.now() + this.#options.bounds.recheckMs;
  }
}
