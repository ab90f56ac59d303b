/** A change that took effect: the link's id, and the time that the change gave it, which names the change to undo. */
export type AppliedChange = { id: string; updatedAt: string };

/**
 * The changes of a call that took effect. It gives all links that it changes the same time; a link that already was as requested
 * keeps its earlier one, so its last change is not part of this call and must not be undone with it.
 */
export function appliedChanges(before: readonly AppliedChange[], after: readonly AppliedChange[]): AppliedChange[] {
  const former = new Map(before.map(({ id, updatedAt }) => [id, updatedAt]));
  const newest = after.reduce((latest, { updatedAt }) => (updatedAt > latest ? updatedAt : latest), "");
  return after
    .filter(({ id, updatedAt }) => updatedAt === newest && former.get(id) !== updatedAt)
    .map(({ id, updatedAt }) => ({ id, updatedAt }));
}
