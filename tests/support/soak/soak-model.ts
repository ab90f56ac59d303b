import { pick, type Random } from "../clicks.ts";
import type { Period, SoakedLink } from "./soaked-link.ts";

/** A visit that was redirected or whose connection was cut, by its token. */
export type SoakVisit = {
  kind: "redirected" | "cut";
  /** The link that the response led to; 0 for a cut connection. */
  serial: number;
  isBot: boolean;
  /** The visit on the server's clock. */
  at: Period;
  /** Its end, a time of performance.now(). */
  endedAt: number;
  /** True if the disk was full at some time during the visit. */
  mayBeDropped: boolean;
};

/** Everything that a soak test expects of the server: links, visits and erased workspaces. */
export class SoakModel {
  readonly links = new Map<number, SoakedLink>();
  readonly visits = new Map<number, SoakVisit>();
  /** Workspaces whose erasure was requested. */
  readonly erased = new Set<number>();
  readonly #visitable: SoakedLink[] = [];

  add(link: SoakedLink): void {
    this.links.set(link.serial, link);
  }

  /** Lets visitors find the link; its creation was answered. */
  publish(link: SoakedLink): void {
    this.#visitable.push(link);
    if (this.#visitable.length > visitableMax) this.#visitable.splice(0, this.#visitable.length - visitableMax);
  }

  /** A random link to visit: newer ones more often; undefined before the first one. */
  pickVisited(random: Random): SoakedLink | undefined {
    for (let attempt = 0; attempt < 20 && this.#visitable.length > 0; attempt++) {
      const link = pick(random, this.#visitable);
      // Deleted links are visited too, but rarely; replaced ones share their short link with another.
      if (link.state === "live" || (link.state !== "replaced" && random() < 0.1)) return link;
    }
    return undefined;
  }

  /** A random id of a link of another workspace. */
  foreignId(random: Random, workspaceId: number): string | undefined {
    for (let attempt = 0; attempt < 20 && this.#visitable.length > 0; attempt++) {
      const { id, workspaceId: owner } = pick(random, this.#visitable);
      if (owner !== workspaceId && id !== undefined) return id;
    }
    return undefined;
  }
}

/** Links that visitors visit; the oldest are forgotten. */
const visitableMax = 600;
