import { secondMs } from "../base/time.ts";

let cachedSecond = 0;
let cachedText = "";

/** The end of every head: the Date field, cached for the current second, and the empty line. */
export function dateHeaderAndEnd(): string {
  const second = Math.floor(Date.now() / secondMs);
  if (second !== cachedSecond) {
    cachedSecond = second;
    cachedText = `Date: ${new Date(second * secondMs).toUTCString()}\r\n\r\n`;
  }
  return cachedText;
}
