/** The messages between the supervisor and its children, over the runtime's IPC channel. */

/**
 * To a child: tell load balancers that the service will stop; stop; all workers have exited, so the spools are complete;
 * how often each child was restarted.
 */
export type SupervisorMessage =
  | { kind: "drain" }
  | { kind: "stop" }
  | { kind: "workersEnded" }
  | { kind: "restarts"; counts: Record<string, number> };

/** From a child, once: it is ready. */
export type ChildMessage = { kind: "ready" };

/** A child's end of the channel. */
export type SupervisorChannel = {
  ready(): void;
  /** Resolves when the service will stop soon. */
  readonly drainRequested: Promise<void>;
  /** Resolves with the reason when the child must stop. */
  readonly stopRequested: Promise<string>;
  /** Resolves when all workers have exited, and when the supervisor has gone. */
  readonly workersEnded: Promise<void>;
  onRestarts(take: (counts: Record<string, number>) => void): void;
};

/**
 * Connects this process to its supervisor. A child stops when the supervisor asks it to, or when the channel closes
 * because the supervisor has gone: no process may go on writing to a data folder that the next supervisor uses.
 * Children ignore signals, which terminals and process managers send to all processes: only the supervisor knows the
 * order.
 */
export function connectToSupervisor(): SupervisorChannel {
  const drain = Promise.withResolvers<void>();
  const stop = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<void>();
  let takeRestarts: (counts: Record<string, number>) => void = () => {};
  process.on("message", (message: SupervisorMessage) => {
    switch (message.kind) {
      case "drain":
        drain.resolve();
        return;
      case "stop":
        stop.resolve("the supervisor stops");
        return;
      case "workersEnded":
        ended.resolve();
        return;
      case "restarts":
        takeRestarts(message.counts);
    }
  });
  process.on("disconnect", () => {
    stop.resolve("the supervisor is gone");
    ended.resolve();
  });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  return {
    ready: () => process.send?.({ kind: "ready" } satisfies ChildMessage),
    drainRequested: drain.promise,
    stopRequested: stop.promise,
    workersEnded: ended.promise,
    onRestarts(take) {
      takeRestarts = take;
    },
  };
}
