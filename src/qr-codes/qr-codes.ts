import { Semaphore } from "../base/semaphore.ts";
import { Thread } from "../base/thread.ts";
import { secondMs } from "../base/time.ts";
import type { QrCodeImage, QrCodeRequest } from "./qr-code.ts";

/** The largest picture takes a fraction of it. */
const callTimeMaxMs = 10 * secondMs;
/** One is drawn while the next one's order travels. */
const drawingMax = 2;
/** A page of the dashboard shows up to a hundred links; what is beyond is told to come back. */
const waitingMax = 200;

/** TABLE of what the thread does. */
export type QrCodesVerbs = {
  start: { argument: undefined; result: undefined };
  draw: { argument: QrCodeRequest; result: QrCodeImage };
  close: { argument: undefined; result: undefined };
};

/** Draws QR codes in a thread of its own: one takes from 2 ms to some 300 ms, in which a redirect would wait. */
export type QrCodes = {
  /** "busy" when too many wait already. Throws CallFailure. */
  draw(order: QrCodeRequest): Promise<QrCodeImage | { kind: "busy" }>;
  close(): void;
};

/** The thread begins with the first order, so that who needs no QR codes pays nothing for them. */
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
