import { useEffect, useState } from "react";

/** A value as it was when it last stayed the same for so long: while one types, what was there before. */
export function useDebounced<Value extends string | undefined>(value: Value, delayMs: number): Value {
  const [debounced, setResting] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setResting(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return debounced;
}
