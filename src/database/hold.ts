import { tryLock } from "./sqlite.ts";

/** A lock held by this process until it is released, or until the process ends. */
export type Held = { release(): void };

const retryEveryMs = 25;

/** Holds a lock (sqlite.ts, tryLock), for which it waits a while; undefined when another process keeps it. */
export async function holdWithin(path: string, withinMs: number): Promise<Held | undefined> {
  const until = performance.now() + withinMs;
  for (;;) {
    const held = tryLock(path);
    if (held !== undefined || performance.now() >= until) return held;
    await Bun.sleep(retryEveryMs);
  }
}
