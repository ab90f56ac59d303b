import { FairQueue } from "../base/fair-queue.ts";
import { networkOf } from "../base/network.ts";
import { Thread } from "../base/thread.ts";
import { secondMs } from "../base/time.ts";
import type { QrCodeImage, QrCodeRequest } from "./qr-code.ts";

/** Timeout of a call. The largest picture takes a fraction of it. */
const callTimeMaxMs = 10 * secondMs;
/**
 * Requests that may wait, of all clients and of one network: a page of the dashboard shows up to a hundred links. Networks
 * take turns, so that one with a hundred large pictures does not keep the others waiting. Further callers must retry.
 */
const queueBounds = { longMs: 200, waitingMax: 400, waitingPerPartyMax: 200, waitMaxMs: 30 * secondMs };

/** TABLE of the calls to the thread. */
export type QrCodesVerbs = {
  start: { argument: undefined; result: undefined };
  draw: { argument: QrCodeRequest; result: QrCodeImage };
  close: { argument: undefined; result: undefined };
};

/** Draws QR codes in a thread: one takes from 2 ms to 1.4 s, in which a redirect would wait. */
export type QrCodes = {
  /** Draws for a client's address; "busy" when too many requests wait. Throws CallFailure. */
  draw(request: QrCodeRequest, address: string): Promise<QrCodeImage | { kind: "busy" }>;
  close(): void;
};

/**
 * Opens the drawing of QR codes. The first request starts the thread, so that instances without QR codes pay nothing.
 */
export function openQrCodes(): QrCodes {
  const queue = new FairQueue<string>(queueBounds);
  let thread: Thread<QrCodesVerbs> | undefined;

  function begun(): Thread<QrCodesVerbs> {
    thread ??= new Thread<QrCodesVerbs>(new URL("./qr-codes-worker.ts", import.meta.url), callTimeMaxMs, undefined);
    return thread;
  }

  return {
    async draw(request, address) {
      const turn = await queue.run(networkOf(address), () => begun().call("draw", request));
      return turn.kind === "done" ? turn.value : { kind: "busy" };
    },
    close: () => thread?.terminate(),
  };
}
