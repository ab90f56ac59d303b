import { sha256 } from "./ids.ts";

/** An attempt that was counted: the name of its limits, and the hashes of what it counts for, such as a network. */
export type CountedAttempt = { limits: string; keys: Readonly<Record<string, string>> };

/** Tells the processes of a service about attempts that each of them limits, so that an attacker gains nothing from several. */
export type SharedAttempts = {
  /** Hashes what an attempt counts for, the same in all processes. */
  hash(text: string): string;
  /** Tells the others, unless the database is away: then each process counts its own attempts. */
  announce(attempt: CountedAttempt): void;
  /** Calls `count` with the attempts that others announce for these limits. */
  onAnnounced(limits: string, count: (keys: CountedAttempt["keys"]) => void): void;
};

/** For a process that limits attempts alone. */
export const unshared: SharedAttempts = { hash: sha256, announce() {}, onAnnounced() {} };
