import { type RefCallback, useCallback, useState } from "react";

/** How far below the window an element counts as in view, so that it is ready when a person scrolls to it. */
const marginPixels = 120;

/** True once an element has been scrolled into view, or nearly. */
export function useInView(): [RefCallback<HTMLElement>, boolean] {
  const [isInView, setInView] = useState(false);
  const watch = useCallback((element: HTMLElement | null) => {
    if (element === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        setInView(true);
        observer.disconnect();
      },
      { rootMargin: `${marginPixels}px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [watch, isInView];
}
