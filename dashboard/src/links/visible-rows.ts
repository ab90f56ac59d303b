/** Rows of one height, of which so many are kept above and below those in sight. */
export type Rows = { count: number; rowPx: number; overscan: number };

/** Where the window stands, in pixels of the page; `topPx` is where the rows begin. */
export type View = { scrollPx: number; heightPx: number; topPx: number };

/** The first and the last row that have to be there; the last is before the first where there are none. */
export function visibleRows({ count, rowPx, overscan }: Rows, { scrollPx, heightPx, topPx }: View) {
  const first = Math.floor((scrollPx - topPx) / rowPx) - overscan;
  const last = Math.ceil((scrollPx + heightPx - topPx) / rowPx) + overscan;
  return { first: bounded(first, count), last: Math.min(count - 1, Math.max(last, -1)) };
}

/** Where the window has to go so that a row is in sight, with a margin for what covers the window's edges. */
export function scrollToSee(index: number, rowPx: number, view: View, marginPx: number): number {
  const top = view.topPx + index * rowPx;
  if (top - marginPx < view.scrollPx) return Math.max(0, top - marginPx);
  const bottom = top + rowPx + marginPx;
  return bottom > view.scrollPx + view.heightPx ? bottom - view.heightPx : view.scrollPx;
}

function bounded(index: number, count: number): number {
  return Math.max(0, Math.min(count - 1, index));
}
