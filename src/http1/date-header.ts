import { secondMs } from "../base/time.ts";

let cachedSecond = 0;
let cachedText = "";

/** How each head ends: the Date field, of the present second, and the empty line. */
export function dateHeaderAndEnd(): string {
  const second = Math.floor(Date.now() / secondMs);
  if (second !== cachedSecond) {
    cachedSecond = second;
    cachedText = `Date: ${new Date(second * secondMs).toUTCString()}\r\n\r\n`;
  }
  return cachedText;
}
