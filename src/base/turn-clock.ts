import type { Clock } from "./time.ts";

/**
 * A clock that is read once for all who ask within a turn of the event loop. A read takes 60 to 100 ns in a virtual
 * machine, and a visit asks five times; a turn takes milliseconds at most, unless something holds it up.
 */
export function onceATurn(read: Clock): Clock {
  let time: number | undefined;
  const forget = () => {
    time = undefined;
  };
  return () => {
    if (time === undefined) {
      time = read();
      setImmediate(forget);
    }
    return time;
  };
}
