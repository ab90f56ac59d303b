/** Which transactions have recorded events, so that the change can be awaited elsewhere after their commit. */
const transactions = new WeakSet<object>();

/** Marks a transaction that records an event. */
export function markEvents(tx: object): void {
  transactions.add(tx);
}

/** True for a transaction that was marked. */
export function hasEvents(tx: object): boolean {
  return transactions.has(tx);
}
