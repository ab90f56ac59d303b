import type { Log } from "../../base/log.ts";
import type { FollowerStatus } from "./follower.ts";

/** Logs once when a node's copy of the links becomes partial, and once when it is complete again. */
export class PartialWatch {
  readonly #log: Log;
  readonly #bytesMax: number;
  #wasPartial = false;

  /** `bytesMax` is the limit of the copy. */
  constructor(log: Log, bytesMax: number) {
    this.#log = log;
    this.#bytesMax = bytesMax;
  }

  check({ isPartial, bytes }: Pick<FollowerStatus, "isPartial" | "bytes">): void {
    if (isPartial === this.#wasPartial) return;
    this.#wasPartial = isPartial;
    const sizes = { limitBytes: this.#bytesMax, copyBytes: bytes };
    if (!isPartial) {
      this.#log.info("This node's copy of the links is complete again.", sizes);
      return;
    }
    this.#log.warn(
      "The links do not fit into WAYPOST_LOOKUP_MAX_BYTES, so this node's copy is partial. While PostgreSQL is down, links that it lacks answer 503.",
      { ...sizes, hint: "Raise WAYPOST_LOOKUP_MAX_BYTES if the disk has 300 bytes per link, and restart this node." },
    );
  }
}
