import { useEffect, useState } from "react";

/** The value once it has not changed for `delayMs`; until then the previous one. */
export function useDebounced<Value extends string | undefined>(value: Value, delayMs: number): Value {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return debounced;
}
