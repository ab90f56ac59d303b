import type { Schemas } from "../../../sdk/client.ts";

type Change = Schemas["LinkChange"];

/** What a change in the history has to do with a revert. */
export type RevertState = {
  /** The earlier change that this one reverted, if it is in the list. */
  reverted: Change | undefined;
  /** True when a later change reverted this one, and the link still has the values from before it. */
  isReverted: boolean;
  /** True when the link already has the values from before the change, so that a revert would change nothing. */
  isUndone: boolean;
};

/** The state of each change, by its id. `changes` are the newest ones of a link, newest first, without gaps. */
export function revertStates(changes: readonly Change[]): Map<string, RevertState> {
  const byId = new Map(changes.map((change) => [change.id, change]));
  const later = new Set<string>();
  const present = new Map<string, string>();
  const states = new Map<string, RevertState>();
  for (const change of changes) {
    for (const [name, value] of Object.entries(change.after ?? {})) {
      if (!present.has(name)) present.set(name, JSON.stringify(value));
    }
    const before = Object.entries(change.before ?? {});
    const isUndone = before.every(([name, value]) => JSON.stringify(value) === present.get(name));
    const reverted = change.reverts === null ? undefined : byId.get(change.reverts);
    states.set(change.id, { reverted, isReverted: isUndone && later.has(change.id), isUndone });
    if (change.reverts !== null) later.add(change.reverts);
  }
  return states;
}
