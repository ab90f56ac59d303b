import { useEffect, useState } from "react";

/** The value once it has not changed for `delayMs`; until then the previous one. */
export function useDebounced<Value extends string | undefined>(value: Value, delayMs: number): Value {
  const [debounced, setResting] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setResting(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return debounced;
}
