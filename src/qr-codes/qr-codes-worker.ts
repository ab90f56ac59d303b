/** The thread that draws QR codes. It keeps no state, so it may end at any time. */
import { serveThread } from "../base/thread.ts";
import { drawQrCode } from "./draw-qr-code.ts";
import type { QrCodesVerbs } from "./qr-codes.ts";

/** The lowest priority: a picture can wait, visitors cannot. */
const niceness = 19;

serveThread<QrCodesVerbs>(niceness, {
  start: () => Promise.resolve(undefined),
  draw: drawQrCode,
  close: () => Promise.resolve(undefined),
});
