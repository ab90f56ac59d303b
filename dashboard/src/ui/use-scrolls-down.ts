import { useEffect, useState } from "react";

/** Movements up to this distance change nothing: a resting finger trembles. */
const tolerancePx = 8;

/** True after the page was scrolled down, until it is scrolled up again or is at its top. */
export function useScrollsDown(): boolean {
  const [isDown, setIsDown] = useState(false);
  useEffect(() => {
    let from = window.scrollY;
    const update = () => {
      const distance = window.scrollY - from;
      if (window.scrollY > 0 && Math.abs(distance) <= tolerancePx) return;
      from = window.scrollY;
      setIsDown(distance > 0 && window.scrollY > 0);
    };
    window.addEventListener("scroll", update, { passive: true });
    return () => window.removeEventListener("scroll", update);
  }, []);
  return isDown;
}
