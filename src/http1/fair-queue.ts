/**
 * A fair queue: each domain has a queue for its requests, so that a flood on one domain does not delay the others.
 *
 * 1. At most inFlightMax requests of a domain are in flight; later ones wait in its queue, first in, first out.
 * 2. A request is in flight until the tick of the event loop ends, even when it was answered at once. So a tick takes
 *    at most inFlightMax answers per requested domain, whatever the number of connections and pipelined requests. The
 *    same bounds the lookups in a database.
 * 3. A queue is no longer than the number of connections: each waits in at most one queue, once.
 */

/** Large enough for one write of clicks to pay off: with half, a flood is answered a tenth slower. */
export const inFlightMax = 64;
/** Idle queues kept, so that they are not created again with each tick. */
const idleQueuesMax = 1_000;

/** A connection whose next request waits in a queue. */
export type QueuedConnection = {
  /** Starts the request, which now has a slot; false when the client has gone, which frees the slot. */
  startQueued(): boolean;
};

/** The queues of a listener. */
export class FairQueue {
  readonly #queues = new Map<string, DomainQueue>();
  readonly #released: DomainQueue[] = [];
  readonly #endTickLater = (queue: DomainQueue) => {
    if (this.#released.push(queue) === 1) setImmediate(this.#endTick);
  };

  /** The number of queues kept. */
  get size(): number {
    return this.#queues.size;
  }

  /** The queue of a domain. */
  queueOf(name: string): DomainQueue {
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      if (this.#queues.size >= idleQueuesMax) this.#dropIdleQueues();
      queue = new DomainQueue(this.#endTickLater);
      this.#queues.set(name, queue);
    }
    return queue;
  }

  readonly #endTick = (): void => {
    for (const queue of this.#released.splice(0)) queue.endTick();
  };

  #dropIdleQueues(): void {
    for (const [name, queue] of this.#queues) {
      if (queue.isIdle) this.#queues.delete(name);
    }
  }
}

/** The queue of one domain. */
export class DomainQueue {
  readonly #endTickLater: (queue: DomainQueue) => void;
  #inFlight = 0;
  #released = 0;
  /** The next request to start is at #next; those before it have started. */
  #queued: QueuedConnection[] = [];
  #next = 0;

  constructor(endTickLater: (queue: DomainQueue) => void) {
    this.#endTickLater = endTickLater;
  }

  get isIdle(): boolean {
    return this.#inFlight === 0;
  }

  tryAcquire(waiting: QueuedConnection): boolean {
    if (this.#inFlight < inFlightMax && this.#next === this.#queued.length) {
      this.#inFlight++;
      return true;
    }
    this.#queued.push(waiting);
    return false;
  }

  release(): void {
    if (this.#released++ === 0) this.#endTickLater(this);
  }

  /** Frees the released slots at the end of a tick and starts queued requests. */
  endTick(): void {
    this.#inFlight -= this.#released;
    this.#released = 0;
    // A started connection may queue its next request, behind those that wait now.
    const end = this.#queued.length;
    while (this.#inFlight < inFlightMax && this.#next < end) {
      const waiting = this.#queued[this.#next++];
      this.#inFlight++;
      if (!waiting?.startQueued()) this.#inFlight--;
    }
    if (this.#next * 2 >= this.#queued.length) {
      this.#queued = this.#queued.slice(this.#next);
      this.#next = 0;
    }
  }
}
