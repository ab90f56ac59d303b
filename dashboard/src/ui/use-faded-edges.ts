import { useCallback } from "react";

/** Scrolled by less than this, an element is at its edge: browsers round positions. */
const slightPx = 2;

/**
 * A ref for an element that scrolls sideways without a scrollbar. Its `data-before` and `data-after` say whether it
 * continues beyond its edges, so that styles can fade them.
 */
export function useFadedEdges(): (element: HTMLElement | null) => (() => void) | undefined {
  return useCallback((element: HTMLElement | null) => {
    if (element === null) return;
    const mark = () => {
      const { scrollLeft, scrollWidth, clientWidth, dataset } = element;
      dataset["before"] = String(scrollLeft > slightPx);
      dataset["after"] = String(scrollWidth - clientWidth - scrollLeft > slightPx);
    };
    const observer = new ResizeObserver(mark);
    observer.observe(element);
    element.addEventListener("scroll", mark, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", mark);
    };
  }, []);
}
