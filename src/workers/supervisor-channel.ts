/** The messages between the supervisor and its children, over the runtime's IPC channel. */

/** A message to a child. */
export type SupervisorMessage =
  /** Answers needsSaltSecret with the secret of the temporary salts. */
  | { kind: "saltSecret"; secret: string }
  /** The service will stop soon: load balancers must send no more visitors. */
  | { kind: "drain" }
  | { kind: "stop" }
  /** All workers have exited, so the spools are complete. */
  | { kind: "workersEnded" }
  /** How often each child was restarted. */
  | { kind: "restarts"; counts: Record<string, number> };

/** A message from a child. */
export type ChildMessage =
  | { kind: "needsSaltSecret" }
  /** From the main process: links redirect, and the rest of the service waits for PostgreSQL. */
  | { kind: "redirecting" }
  | { kind: "ready" };

/** A child's end of the channel. */
export type SupervisorChannel = {
  redirecting(): void;
  ready(): void;
  /** The secret of the temporary salts (temporary-salts.ts), which all processes of the service share. */
  saltSecret(): Promise<string>;
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
  const secret = Promise.withResolvers<string>();
  const drain = Promise.withResolvers<void>();
  const stop = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<void>();
  let takeRestarts: (counts: Record<string, number>) => void = () => {};
  process.on("message", (message: SupervisorMessage) => {
    switch (message.kind) {
      case "saltSecret":
        secret.resolve(message.secret);
        return;
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
  const tell = (message: ChildMessage) => process.send?.(message);
  return {
    redirecting: () => tell({ kind: "redirecting" }),
    ready: () => tell({ kind: "ready" }),
    async saltSecret() {
      tell({ kind: "needsSaltSecret" });
      return await secret.promise;
    },
    drainRequested: drain.promise,
    stopRequested: stop.promise,
    workersEnded: ended.promise,
    onRestarts(take) {
      takeRestarts = take;
    },
  };
}
