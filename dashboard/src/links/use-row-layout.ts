import { useSyncExternalStore } from "react";

/** The layout of the list's rows: two lines beside columns, or three lines in a narrow window; and the height of every row. */
type RowLayout = { isNarrow: boolean; rowPx: number };

const wide: RowLayout = { isNarrow: false, rowPx: 68 };
const narrow: RowLayout = { isNarrow: true, rowPx: 96 };

/** With the sidebar, a window needs this width for columns beside the titles. */
const query = matchMedia("(width < 60rem)");

/** The layout for the width of the window. */
export function useRowLayout(): RowLayout {
  return useSyncExternalStore(listen, () => (query.matches ? narrow : wide));
}

function listen(onChange: () => void): () => void {
  query.addEventListener("change", onChange);
  return () => query.removeEventListener("change", onChange);
}
