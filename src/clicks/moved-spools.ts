/**
 * The spools of a move between stores, which stand for parts of its source and whose cursors are beside those of real
 * spools. Their ids begin with "moved-", those of real ones are hexadecimal. While a store has such cursors, it has only a
 * part of the clicks.
 */
export const movedPrefix = "moved-";

/** What the ids of all moves into a store begin with; with a move's id, those of that move. */
export function movedSpoolsOf(storeId: string, moveId?: string): string {
  const ofStore = `${movedPrefix}${storeId}-`;
  return moveId === undefined ? ofStore : `${ofStore}${moveId}-`;
}

/** The cursors of real spools. */
export function withoutMoved(cursors: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(cursors).filter(([spoolId]) => !spoolId.startsWith(movedPrefix)));
}
