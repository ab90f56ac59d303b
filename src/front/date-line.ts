import { secondMs } from "../base/time.ts";

let dateSecond = 0;
let dateText = "";

/** The Date field, of the present second. */
export function dateLine(): string {
  const second = Math.floor(Date.now() / secondMs);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = `Date: ${new Date(second * secondMs).toUTCString()}\r\n`;
  }
  return dateText;
}
