/** Which transactions change what redirects read, so that their commit can wait for the copies of it. */
const transactions = new WeakSet<object>();

/** Marks a transaction that records an event or changes the blocks. */
export function markChange(tx: object): void {
  transactions.add(tx);
}

/** True for a transaction that was marked. */
export function hasChange(tx: object): boolean {
  return transactions.has(tx);
}
