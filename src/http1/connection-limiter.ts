/**
 * Who may connect: so that neither descriptors nor memory run out, and nobody takes alone what all need.
 *
 * 1. What all connections take together is bounded, in descriptors. At the system's own limit a process cannot take a
 *    connection from its queue and spins, nor open a file. Beyond our bound a connection is closed as soon as it comes.
 * 2. When three quarters are taken it is crowded: one network may have no more than its share then, and silent
 *    connections are kept for a shorter time. Trusted proxies bring many visitors each, so they have no share.
 * 3. A connection handed on takes two more descriptors: our end and the HTTP server's of the way on.
 */
import { networkOf } from "../base/network.ts";

/** Descriptors of connections, however many the system allows; a connection takes some kilobytes. */
export const connectionsMax = 30_000;
/** Left to files, databases, resolvers and mail servers, or a quarter where the system allows few. */
const reservedDescriptors = 256;
const crowdedShare = 3 / 4;
/** Of all connections, what one network may have when it is crowded. */
const networkShare = 1 / 16;
/** Seconds a silent connection is kept when it is crowded; the runtime looks every four. */
const crowdedIdleSeconds = 5;
const tunnelDescriptors = 2;

/** What is to be shared, and among whom. */
export type ConnectionLimiterOptions = {
  /** Of the process. */
  fileDescriptorsMax: number;
  /** Whether an address is a proxy of the operator's. */
  isTrusted(address: string): boolean;
  idleSeconds: number;
};

/** Counts connections, and tells who may have one more. */
export class ConnectionLimiter {
  readonly #max: number;
  readonly #options: ConnectionLimiterOptions;
  readonly #takenBy = new Map<string, number>();
  #taken = 0;
  #refused = 0;

  constructor(options: ConnectionLimiterOptions) {
    this.#options = options;
    const { fileDescriptorsMax } = options;
    const left = fileDescriptorsMax - Math.min(reservedDescriptors, Math.ceil(fileDescriptorsMax / 4));
    this.#max = Math.min(connectionsMax, left);
  }

  /** Descriptors that connections take now. */
  get taken(): number {
    return this.#taken;
  }

  /** Connections and ways on that were refused so far. */
  get refused(): number {
    return this.#refused;
  }

  /** Seconds a silent connection is kept at the moment. */
  get idleSeconds(): number {
    const { idleSeconds } = this.#options;
    return this.#isCrowded ? Math.min(idleSeconds, crowdedIdleSeconds) : idleSeconds;
  }

  /** Whether a connection from the address may be kept; then leave follows once. */
  tryAcquire(address: string): boolean {
    return this.#acquireDescriptors(address, 1);
  }

  release(address: string): void {
    this.#releaseDescriptors(address, 1);
  }

  /** Whether a connection that has entered may be handed on; then leaveTunnel follows once. */
  tryAcquireTunnel(address: string): boolean {
    return this.#acquireDescriptors(address, tunnelDescriptors);
  }

  releaseTunnel(address: string): void {
    this.#releaseDescriptors(address, tunnelDescriptors);
  }

  get #isCrowded(): boolean {
    return this.#taken >= this.#max * crowdedShare;
  }

  #acquireDescriptors(address: string, descriptors: number): boolean {
    const network = networkOf(address);
    const taken = this.#takenBy.get(network) ?? 0;
    const isBeyondShare = this.#isCrowded && taken + descriptors > this.#max * networkShare;
    if (this.#taken + descriptors > this.#max || (isBeyondShare && !this.#options.isTrusted(address))) {
      this.#refused++;
      return false;
    }
    this.#taken += descriptors;
    this.#takenBy.set(network, taken + descriptors);
    return true;
  }

  #releaseDescriptors(address: string, descriptors: number): void {
    const network = networkOf(address);
    const left = (this.#takenBy.get(network) ?? 0) - descriptors;
    this.#taken -= descriptors;
    if (left > 0) this.#takenBy.set(network, left);
    else this.#takenBy.delete(network);
  }
}
