/** The thread that draws QR codes. It holds nothing, so that it may end at any time. */
import { serveThread } from "../base/thread.ts";
import { drawQrCode } from "./draw-qr-code.ts";
import type { QrCodesVerbs } from "./qr-codes.ts";

/** As far behind the visitors as can be: a picture may be late. */
const niceness = 19;

serveThread<QrCodesVerbs>(niceness, {
  start: () => Promise.resolve(undefined),
  draw: drawQrCode,
  close: () => Promise.resolve(undefined),
});
