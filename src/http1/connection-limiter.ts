/**
 * The connection limiter keeps descriptors and memory from running out, and one network from using them all.
 *
 * 1. It bounds the descriptors of all connections together. At the system's own limit a process can neither accept a
 *    connection nor open a file, and spins. Beyond our limit a connection is closed as soon as it arrives.
 * 2. When three quarters are in use, one network gets no more than its share, and idle connections close sooner.
 *    Trusted proxies carry many visitors each, so their share is not limited.
 * 3. A forwarded connection uses two more descriptors: both ends of its proxy connection to the HTTP server.
 */
import { networkOf } from "../base/network.ts";

/** Descriptors of connections, however many the system allows; a connection uses some kilobytes of memory. */
export const connectionsMax = 30_000;
/** Reserved for files, databases, resolvers and mail servers; a quarter of the limit where that is less. */
const reservedDescriptors = 256;
/** Idle timeout of a connection: long enough for a browser's next click, short enough under a flood. */
export const idleSecondsMax = 30;
/**
 * Idle timeout of a trusted proxy's connection. Longer than proxies keep theirs (nginx 60 seconds, Traefik 90, Caddy 120, load
 * balancers up to 600): a POST that crosses with the close would be lost.
 */
export const proxyIdleSecondsMax = 630;
const crowdedShare = 3 / 4;
/** The share of all connections that one network may use under load. */
const networkShare = 1 / 16;
/** Idle timeout under load; the runtime checks every four seconds. */
const crowdedIdleSeconds = 5;
const proxyDescriptors = 2;

/** The limits, and which addresses are exempt from the share of a network. */
export type ConnectionLimiterOptions = {
  /** The limit of the process. */
  fileDescriptorsMax: number;
  /** True for a trusted proxy. */
  isTrusted(address: string): boolean;
  idleSeconds: number;
};

/** Counts the descriptors of connections, by network. */
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

  /** Descriptors in use. */
  get taken(): number {
    return this.#taken;
  }

  /** Connections and proxy connections refused so far. */
  get refused(): number {
    return this.#refused;
  }

  /** The current idle timeout. */
  get idleSeconds(): number {
    const { idleSeconds } = this.#options;
    return this.#isCrowded ? Math.min(idleSeconds, crowdedIdleSeconds) : idleSeconds;
  }

  /** True when a connection from the address is allowed; call `release` once for it. */
  tryAcquire(address: string): boolean {
    return this.#acquireDescriptors(address, 1);
  }

  release(address: string): void {
    this.#releaseDescriptors(address, 1);
  }

  /** True when an accepted connection may get a proxy connection; call `releaseProxy` once for it. */
  tryAcquireProxy(address: string): boolean {
    return this.#acquireDescriptors(address, proxyDescriptors);
  }

  releaseProxy(address: string): void {
    this.#releaseDescriptors(address, proxyDescriptors);
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
