import { secondMs } from "../base/time.ts";

let endSecond = 0;
let endText = "";

/** How each head ends: the Date field, of the present second, and the empty line. */
export function headEnd(): string {
  const second = Math.floor(Date.now() / secondMs);
  if (second !== endSecond) {
    endSecond = second;
    endText = `Date: ${new Date(second * secondMs).toUTCString()}\r\n\r\n`;
  }
  return endText;
}
