import type { Socket } from "bun";
import type { RedirectHandler } from "../redirects/redirect-handler.ts";
import type { Connection } from "./connection.ts";
import type { DomainQueue } from "./fair-queue.ts";
import type { Tunnel, TunnelCallbacks } from "./tunnel.ts";

/** What all connections of a front work with. */
export type ConnectionContext = {
  redirectHandler: RedirectHandler;
  /** The URL of the app, by which error bodies name the documentation; undefined until visits are answered. */
  appUrl?: URL;
  /** Has the connection send its answer when the turn is over. */
  sendAfterTick(connection: Connection): void;
  /** The line of the domain that a request's Host field names. */
  domainQueue(authority: string | undefined): DomainQueue;
  /** Told of what no visitor can do anything about. */
  fail(error: unknown): void;
  /**
   * Opens the way to the HTTP server for a client whose address is `peer`, and hands on what it has sent first; undefined
   * when there is no room for it.
   */
  tunnel(client: Client, peer: string, first: Buffer, watch: TunnelCallbacks): Tunnel | undefined;
  onClose(connection: Connection): void;
  readonly idleTimeoutSeconds: number;
  /** Bytes that a body handed on may have; the largest of an operation when undefined. */
  readonly bodyBytesMax: number | undefined;
  /** Bytes of paused connections, to which each adds its own. */
  paused: { bytes: number };
  /** Milliseconds that only move on. */
  now(): number;
};

/** A client's socket, which carries its connection. */
export type Client = Socket<Connection>;
