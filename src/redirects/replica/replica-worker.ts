/** The thread that follows PostgreSQL, so that a bulk change on another node delays no visitor. */
import { serveThread } from "../../base/thread.ts";
import { Follower } from "./follower.ts";
import type { ReplicaVerbs } from "./replica.ts";
import { ReplicaFile } from "./replica-file.ts";

/** Above the store and the counters: callers of the API wait for it. */
const niceness = 5;

let follower: Follower | undefined;
let running: Promise<void> | undefined;

serveThread<ReplicaVerbs>(niceness, {
  async start({ url, path, bytesMax }) {
    follower = new Follower(url, new ReplicaFile(path), bytesMax);
    running = follower.run();
    return undefined;
  },
  async started() {
    await follower?.started;
    return undefined;
  },
  async caughtUp() {
    await follower?.caughtUp();
    return undefined;
  },
  async copyVisited(names) {
    follower?.copyVisited(names);
    return undefined;
  },
  async status() {
    if (follower === undefined) throw new Error("The replica was asked before it was started.");
    return follower.status;
  },
  async close() {
    follower?.stop();
    await running;
    return undefined;
  },
});
