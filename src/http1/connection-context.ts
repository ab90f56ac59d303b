import type { Socket } from "bun";
import type { RedirectHandler } from "../redirects/redirect-handler.ts";
import type { DomainQueue } from "./fair-queue.ts";
import type { ProxyCallbacks, ProxyConnection } from "./proxy-connection.ts";
import type { ForwardedClient } from "./proxy-line.ts";

/** What all connections of a listener share. */
export type ConnectionContext<Connection> = {
  redirectHandler: RedirectHandler;
  /** The app's URL, for links to the documentation in error bodies; undefined until visits are answered. */
  appUrl?: URL;
  /** Makes the connection send its pending answer after the tick. */
  sendAfterTick(connection: Connection): void;
  /** The queue of the domain that a Host field names. */
  domainQueue(authority: string | undefined): DomainQueue;
  /** Called with errors that no client can do anything about. */
  fail(error: unknown): void;
  /**
   * Opens a proxy connection for the client and forwards the first bytes; undefined when the limits allow no proxy
   * connection.
   */
  proxy(
    client: Socket<Connection>,
    from: ForwardedClient,
    first: Buffer,
    watch: ProxyCallbacks,
  ): ProxyConnection | undefined;
  onClose(connection: Connection): void;
  /** True when each connection ends with its next answer. */
  isStopping(): boolean;
  readonly idleTimeoutSeconds: number;
  /** The number of idle timeouts in a row after which a connection from the address closes. */
  idleTimeoutsMax(address: string): number;
  /** Bytes of a forwarded body; undefined for the largest that an operation accepts. */
  readonly bodyBytesMax: number | undefined;
  /** Bytes buffered by all paused connections together. */
  paused: { bytes: number };
  /** Monotonic time in milliseconds. */
  now(): number;
};
