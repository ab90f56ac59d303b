import { useSyncExternalStore } from "react";

/**
 * The connection to the server, for the whole page.
 *
 * 1. "offline" from the moment at which the browser says so, until the server answers again. Changes then wait, in
 *    order, and are sent once each; the browser asks before the person leaves the page.
 * 2. "unreachable" when a request failed although the browser is online, and a second request to the server failed too.
 *    Changes then fail at once, because the outage may last.
 */
type Connection = {
  state: "online" | "offline" | "unreachable";
  /** Changes that wait to be sent. */
  waiting: number;
};

/** The interval between two checks whether the server answers. */
const probeMs = 2_500;
const probeTimeoutMs = 10_000;
/** The most changes that wait; further ones fail. */
const waitingMax = 100;

let current: Connection = { state: navigator.onLine ? "online" : "offline", waiting: 0 };
const listeners = new Set<() => void>();
let isProbing = false;

window.addEventListener("offline", () => update({ state: "offline" }));
window.addEventListener("online", () => void probe());
// A waiting change would be lost with the page.
window.addEventListener("beforeunload", (event) => {
  if (current.waiting > 0) event.preventDefault();
});

/** The current state of the connection. */
export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => current);
}

/** True while the browser has no connection, or has not reached the server since. */
export function isOffline(): boolean {
  return current.state === "offline";
}

/**
 * Resolves when a change may be sent: at once, or when the connection is back. Rejects when the signal aborts, and with a
 * TypeError when waitingMax changes wait already.
 */
export async function untilOnline(signal: AbortSignal): Promise<void> {
  if (!isOffline()) return;
  signal.throwIfAborted();
  if (current.waiting >= waitingMax) throw new TypeError("Too many changes wait for the connection.");
  update({ waiting: current.waiting + 1 });
  try {
    await new Promise<void>((resolve, reject) => {
      const stop = subscribe(() => {
        if (isOffline()) return;
        stop();
        resolve();
      });
      signal.addEventListener("abort", () => {
        stop();
        reject(signal.reason);
      });
    });
  } finally {
    update({ waiting: current.waiting - 1 });
  }
}

/** Call this when a request got no response. A single failure means little: the page may have been left. */
export function reportFailedRequest(): void {
  void probe();
}

/** Checks whether the server answers, and repeats until it does. */
async function probe(): Promise<void> {
  if (isProbing) return;
  isProbing = true;
  while (!(await isReachable())) {
    // The browser may say "online" before its network works; changes then keep waiting.
    if (current.state === "online") update({ state: navigator.onLine ? "unreachable" : "offline" });
    await new Promise((resolve) => setTimeout(resolve, probeMs));
  }
  isProbing = false;
  update({ state: "online" });
}

async function isReachable(): Promise<boolean> {
  if (!navigator.onLine) return false;
  try {
    await fetch("/app", { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(probeTimeoutMs) });
    return true;
  } catch {
    return false;
  }
}

function update(changes: Partial<Connection>): void {
  const next = { ...current, ...changes };
  if (next.state === current.state && next.waiting === current.waiting) return;
  current = next;
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
