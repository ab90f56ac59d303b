import { useCallback } from "react";

/** Within this distance, an element counts as scrolled to its edge, because browsers round scroll positions. */
const edgeTolerancePx = 2;

/**
 * A ref for an element that scrolls sideways without a scrollbar. It sets `data-before` and `data-after` of the element
 * to "true" while content is hidden beyond the left or right edge, so that styles can fade that edge.
 */
export function useFadedEdges(): (element: HTMLElement | null) => (() => void) | undefined {
  return useCallback((element: HTMLElement | null) => {
    if (element === null) return;
    const update = () => {
      const { scrollLeft, scrollWidth, clientWidth, dataset } = element;
      dataset["before"] = String(scrollLeft > edgeTolerancePx);
      dataset["after"] = String(scrollWidth - clientWidth - scrollLeft > edgeTolerancePx);
    };
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener("scroll", update, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", update);
    };
  }, []);
}
