import { Semaphore } from "../base/semaphore.ts";
import { Thread } from "../base/thread.ts";
import { secondMs } from "../base/time.ts";
import type { QrCodeImage, QrCodeRequest } from "./qr-code.ts";

/** Timeout of a call. The largest picture takes a fraction of it. */
const callTimeMaxMs = 10 * secondMs;
/** Requests in the thread: one is drawn while the next one is transferred. */
const drawingMax = 2;
/** Requests that may wait: a page of the dashboard shows up to a hundred links. Further callers must retry. */
const waitingMax = 200;

/** TABLE of the calls to the thread. */
export type QrCodesVerbs = {
  start: { argument: undefined; result: undefined };
  draw: { argument: QrCodeRequest; result: QrCodeImage };
  close: { argument: undefined; result: undefined };
};

/** Draws QR codes in a thread: one takes from 2 ms to some 500 ms, in which a redirect would wait. */
export type QrCodes = {
  /** "busy" when too many requests wait. Throws CallFailure. */
  draw(order: QrCodeRequest): Promise<QrCodeImage | { kind: "busy" }>;
  close(): void;
};

/**
 * Opens the drawing of QR codes. The first request starts the thread, so that instances without QR codes pay nothing.
 */
export function openQrCodes(): QrCodes {
  const semaphore = new Semaphore({ runningMax: drawingMax, waitingMax });
  let thread: Thread<QrCodesVerbs> | undefined;

  function begun(): Thread<QrCodesVerbs> {
    thread ??= new Thread<QrCodesVerbs>(new URL("./qr-codes-worker.ts", import.meta.url), callTimeMaxMs, undefined);
    return thread;
  }

  return {
    async draw(order) {
      const turn = await semaphore.run(() => begun().call("draw", order));
      return turn.kind === "done" ? turn.value : { kind: "busy" };
    },
    close: () => thread?.terminate(),
  };
}
