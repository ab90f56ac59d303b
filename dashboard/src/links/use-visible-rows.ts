import { type RefObject, useEffect, useLayoutEffect, useState } from "react";
import { type Rows, scrollToSee, type View, visibleRows } from "./visible-rows.ts";

/** What covers the window's edges: bars that stay. */
const coveredPx = 64;

/** The rows of a long list that have to be there, as the window is scrolled; `place` is the list. */
export function useVisibleRows(rows: Rows, place: RefObject<HTMLElement | null>) {
  const [view, setView] = useState<View>({ scrollPx: window.scrollY, heightPx: window.innerHeight, topPx: 0 });
  // What is shown above the list moves it.
  useLayoutEffect(() => {
    const topPx = place.current === null ? 0 : place.current.getBoundingClientRect().top + window.scrollY;
    setView((before) => (Math.abs(before.topPx - topPx) < 1 ? before : { ...before, topPx }));
  });
  useEffect(() => {
    const update = () => setView((before) => ({ ...before, scrollPx: window.scrollY, heightPx: window.innerHeight }));
    window.addEventListener("scroll", update, { passive: true });
    window.addEventListener("resize", update);
    return () => {
      window.removeEventListener("scroll", update);
      window.removeEventListener("resize", update);
    };
  }, []);
  return {
    ...visibleRows(rows, view),
    show: (index: number) => window.scrollTo({ top: scrollToSee(index, rows.rowPx, view, coveredPx) }),
  };
}
