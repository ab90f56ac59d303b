/**
 * A mutex: runs one piece of work at a time, in the order of the calls. A failed one does not stop the next.
 * Bound: the callers, who limit how many calls wait.
 */
export function mutex(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    // The caller handles the error; the next piece of work runs anyway.
    last = turn.catch(() => {});
    return turn;
  };
}
