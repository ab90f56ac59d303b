/** What the supervisor and its children say to each other, over the channel that the runtime keeps between them. */

/** To a child: stop; the workers have ended, so that the spools are whole; how often each child was started again. */
export type SupervisorMessage =
  | { kind: "stop" }
  | { kind: "workersEnded" }
  | { kind: "restarts"; counts: Record<string, number> };

/** From a child, once: it does what it is there for. */
export type ChildMessage = { kind: "ready" };

/** A child's end of the channel. */
export type SupervisorChannel = {
  ready(): void;
  /** Resolves with the reason when the child is to stop. */
  readonly stopRequested: Promise<string>;
  /** Resolves when no worker writes any more, and when there is nobody left to say so. */
  readonly workersEnded: Promise<void>;
  onRestarts(take: (counts: Record<string, number>) => void): void;
};

/**
 * Joins this process to its supervisor. A child stops when the supervisor says so, or when the channel closes because
 * the supervisor is gone: nothing may go on writing to a data folder that a next one is about to use. Signals are the
 * supervisor's, which knows the order; process managers and terminals send them to all processes alike.
 */
export function connectToSupervisor(): SupervisorChannel {
  const stop = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<void>();
  let takeRestarts: (counts: Record<string, number>) => void = () => {};
  process.on("message", (message: SupervisorMessage) => {
    switch (message.kind) {
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
    stopRequested: stop.promise,
    workersEnded: ended.promise,
    onRestarts(take) {
      takeRestarts = take;
    },
  };
}
