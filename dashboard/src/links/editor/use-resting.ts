import { useEffect, useState } from "react";

/** A value as it was when it last stayed the same for so long: while one types, what was there before. */
export function useResting<Value extends string | undefined>(value: Value, restMs: number): Value {
  const [resting, setResting] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setResting(value), restMs);
    return () => clearTimeout(timer);
  }, [value, restMs]);
  return resting;
}
