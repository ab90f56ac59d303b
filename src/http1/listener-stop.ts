import { setImmediate as nextTick } from "node:timers/promises";

/** How long a stop answers requests that were on their way: more than most networks take for them. */
const lastRequestsMs = 100;

/** What a stop closes. */
type Stopped = {
  connections: ReadonlySet<{ stop(): void }>;
  /** Closes the listening sockets. */
  closeListeners(): void;
  /** Ends the handshakes of connections that have not sent a request. */
  endHandshakes(): void;
};

/**
 * The stop of a listener. A client cannot know that the service stops, and a visitor whose connection closes without an answer
 * is not redirected. So each open connection is answered once more if its request arrives in lastRequestsMs.
 */
export class ListenerStop {
  readonly #stopped: Stopped;
  readonly #allClosed = Promise.withResolvers<void>();
  #isListening = true;
  #lastRequests: Promise<void> | undefined;

  constructor(stopped: Stopped) {
    this.#stopped = stopped;
  }

  /** True when each connection ends with its next answer. */
  get hasBegun(): boolean {
    return this.#lastRequests !== undefined;
  }

  /** Resolves when the last connection has closed. */
  get allClosed(): Promise<void> {
    return this.#allClosed.promise;
  }

  /** Closes the listeners at once, and idle connections later; resolves then. */
  begin(): Promise<void> {
    this.#lastRequests ??= this.#answerLastRequests();
    return this.#lastRequests;
  }

  /** To be called when a connection has closed. */
  onClose(): void {
    if (this.#stopped.connections.size === 0 && !this.#isListening) this.#allClosed.resolve();
  }

  async #answerLastRequests(): Promise<void> {
    const { connections, closeListeners, endHandshakes } = this.#stopped;
    // Closing a listener resets the connections that wait in it. They are accepted in the next tick, and those that have come
    // since this tick began, in the one after it.
    await nextTick();
    await nextTick();
    closeListeners();
    this.#isListening = false;
    this.onClose();
    await Promise.race([this.allClosed, Bun.sleep(lastRequestsMs)]);
    endHandshakes();
    for (const connection of connections) connection.stop();
  }
}
