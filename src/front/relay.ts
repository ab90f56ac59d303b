/**
 * Where the main process takes the connections that redirect workers hand on: a Unix socket that only our own user can
 * connect to. Each begins with the client's address and a line end, which is believed for that reason; from there on it
 * is the client's, and goes to the HTTP server on loopback as it is.
 */
import type { Socket, SocketHandler } from "bun";
import { fileDescriptorsMax } from "../base/file-descriptors.ts";
import type { Log } from "../base/log.ts";
import { makeSocketPrivate, prepareSocketPath } from "../base/socket-file.ts";
import { Admission } from "./admission.ts";
import type { Front } from "./front.ts";
import { readGreeting } from "./greeting.ts";
import { Downloads } from "./taking-time.ts";
import { openTunnel, type Tunnel } from "./tunnel.ts";

/** What the relay needs: its socket's path, and the HTTP server's port on loopback. */
export type RelayOptions = { path: string; serverPort: number; log: Log };

/** The relay: a front without a port, which answers nothing itself. */
export type Relay = Pick<Front, "peerOf" | "connections" | "stop" | "close">;

type Handed = { heard: Buffer; tunnel: Tunnel | undefined; isAllSent: boolean };

/** Listens; a socket that a crash left behind is replaced. */
export function openRelay({ path, serverPort, log }: RelayOptions): Relay {
  // The workers have seen to it that each network has no more than its share.
  const admission = new Admission({ fileDescriptorsMax: fileDescriptorsMax(), isTrusted: () => true, idleSeconds: 0 });
  const peers = new Map<number, string>();
  const downloads = new Downloads();
  const connections = new Set<Socket<Handed>>();
  const allClosed = Promise.withResolvers<void>();
  let isStopping = false;
  const fail = (error: unknown) => log.error("A request failed.", { error });

  function handOn(worker: Socket<Handed>, peer: string, first: Buffer): void {
    if (!admission.enterTunnel("")) {
      worker.terminate();
      return;
    }
    const tunnel = openTunnel(worker, {
      to: { kind: "port", port: serverPort },
      downloads,
      onOpen: (localPort) => peers.set(localPort, peer),
      onClose(localPort) {
        if (localPort !== undefined) peers.delete(localPort);
        admission.leaveTunnel("");
      },
      fail,
      unanswered(_, __, error) {
        if (error !== undefined) fail(error);
        // The worker tells the client.
        worker.end();
      },
    });
    worker.data.tunnel = tunnel;
    if (first.length > 0) tunnel.forward(first);
    if (worker.data.isAllSent) tunnel.finish();
  }

  prepareSocketPath(path);
  const listener = Bun.listen<Handed>({
    unix: path,
    allowHalfOpen: true,
    socket: {
      ...handing(handOn, fail),
      open(worker) {
        worker.data = { heard: Buffer.alloc(0), tunnel: undefined, isAllSent: false };
        if (admission.enter("")) connections.add(worker);
        else worker.terminate();
      },
      close(worker) {
        worker.data.tunnel?.end();
        if (connections.delete(worker)) admission.leave("");
        if (connections.size === 0 && isStopping) allClosed.resolve();
      },
    },
  });
  makeSocketPrivate(path);

  return {
    peerOf: (localPort) => peers.get(localPort),
    connections: () => ({ taken: admission.taken, refused: admission.refused }),
    stop() {
      isStopping = true;
      listener.stop(false);
      if (connections.size === 0) allClosed.resolve();
      return allClosed.promise;
    },
    close: () => listener.stop(true),
  };
}

type HandOn = (worker: Socket<Handed>, peer: string, first: Buffer) => void;

/** Reads the greeting, then hands on all that comes. */
function handing(handOn: HandOn, fail: (error: unknown) => void): SocketHandler<Handed> {
  return {
    data(worker, bytes) {
      const { tunnel } = worker.data;
      if (tunnel !== undefined) {
        tunnel.forward(bytes);
        return;
      }
      const heard = Buffer.concat([worker.data.heard, bytes]);
      const greeting = readGreeting(heard);
      if (greeting.kind === "greeting") handOn(worker, greeting.peer, heard.subarray(greeting.length));
      else if (greeting.kind === "incomplete") worker.data.heard = heard;
      else worker.terminate();
    },
    drain: (worker) => worker.data.tunnel?.drain(),
    end(worker) {
      worker.data.isAllSent = true;
      if (worker.data.tunnel === undefined) worker.end();
      else worker.data.tunnel.finish();
    },
    error(worker, error) {
      fail(error);
      worker.end();
    },
  };
}
