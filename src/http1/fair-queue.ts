/**
 * Lines: the visitors of each domain wait in a line of their own, so that a flood on one does not delay the others.
 *
 * 1. Of each domain, at most atOnceMax answers are in the making; who comes then stands in the domain's line, and is
 *    called up in the order of coming.
 * 2. An answer takes its place until the turn of the event loop has ended, even when it was made at once. So a turn is
 *    at most as long as atOnceMax answers for each domain that is being asked for, whatever the number of connections
 *    and however many requests they send ahead, and look-ups under way in a database are bounded too.
 * 3. A line is no longer than there are connections: each stands in at most one, once.
 */

/** As many as give one write of clicks to the disk its worth: with half of them a flood is answered a tenth slower. */
export const inFlightMax = 64;
/** Lines kept when nobody stands in them, so that they are not made anew with each turn. */
const idleQueuesMax = 1_000;

/** Somebody who stands in a line. */
export type QueuedConnection = {
  /** It is their turn, and they have a place; false when they have gone, and the place is free again. */
  startQueued(): boolean;
};

/** The lines of a front. */
export class FairQueue {
  readonly #queues = new Map<string, DomainQueue>();
  readonly #released: DomainQueue[] = [];
  readonly #endTickLater = (queue: DomainQueue) => {
    if (this.#released.push(queue) === 1) setImmediate(this.#endTick);
  };

  /** How many are kept. */
  get size(): number {
    return this.#queues.size;
  }

  /** The line by the name of a domain. */
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
  /** Who is called up next stands at #next; what lies before has been called. */
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

  /** The turn has ended: the places given back are free, and those in line are called up. */
  endTick(): void {
    this.#inFlight -= this.#released;
    this.#released = 0;
    // Who is called up may stand in line again, behind those who stand there now.
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
