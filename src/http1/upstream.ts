import { withVia } from "../base/http10.ts";
import { secondMs } from "../base/time.ts";
import { ForwardedRequest } from "./forwarded-request.ts";
import type { ProxyCallbacks, ProxyConnection } from "./proxy-connection.ts";
import type { ConsumedBody, FramedRequest } from "./request-framing.ts";

/**
 * A proxy connection that has been idle for longer is replaced: the HTTP server may be about to close it (idleSecondsMax),
 * and a request that crosses with the close would be lost.
 */
const reuseMsMax = 20 * secondMs;

/** Opens a proxy connection and forwards the client's first bytes; undefined when the limits allow none. */
type OpenProxyConnection = (first: Buffer, callbacks: ProxyCallbacks) => ProxyConnection | undefined;

/** A connection's way to the HTTP server: forwards one request at a time through a proxy connection that stays open. */
export class Upstream {
  readonly #open: OpenProxyConnection;
  readonly #onProgress: () => void;
  #proxy: ProxyConnection | undefined;
  #request: ForwardedRequest | undefined;
  /** Monotonic time in milliseconds. */
  readonly #now: () => number;
  /** When the last response ended. */
  #idleSince = 0;

  /** Calls `onProgress` with every part of a response. */
  constructor(open: OpenProxyConnection, onProgress: () => void, now: () => number) {
    this.#open = open;
    this.#onProgress = onProgress;
    this.#now = now;
  }

  /** Forwards a request's head; false when the limits allow none. */
  begin(framing: FramedRequest, head: Buffer): boolean {
    this.#request = new ForwardedRequest(framing);
    const sent = framing.isHttp10 ? withVia(head) : head;
    if (this.#proxy !== undefined && this.#now() - this.#idleSince > reuseMsMax) {
      this.#proxy.finish();
      this.#proxy = undefined;
    }
    if (this.#proxy === undefined) this.#proxy = this.#openProxy(sent);
    else this.#proxy.sendHead(sent);
    return this.#proxy !== undefined;
  }

  /** Forwards the body's bytes at the beginning of `bytes`. */
  take(bytes: Buffer): ConsumedBody {
    const taken = this.#request?.take(bytes) ?? { kind: "taken", taken: 0, bytes: Buffer.alloc(0) };
    if (taken.kind === "refused") this.#proxy?.end();
    else if (taken.bytes.length > 0) this.#proxy?.forward(taken.bytes);
    return taken;
  }

  /** True when the whole request was received. */
  get isRequestComplete(): boolean {
    return this.#request?.isComplete ?? true;
  }

  /** Once the client has accepted the whole response: whether the connection closes after it. Undefined before. */
  takeFinished(): { isLast: boolean } | undefined {
    const request = this.#request;
    if (request?.isDone !== true || this.#proxy?.hasUnsentBytes === true) return undefined;
    this.#request = undefined;
    this.#idleSince = this.#now();
    return { isLast: request.isLast || request.response.isLast };
  }

  /** Called when the client accepts bytes again. */
  drain(): void {
    this.#proxy?.drain();
  }

  /** Called when the client has closed its sending side. */
  finish(): void {
    this.#proxy?.finish();
  }

  /** Called when the client has disconnected. */
  end(): void {
    this.#proxy?.end();
  }

  #openProxy(first: Buffer): ProxyConnection | undefined {
    const proxy = this.#open(first, {
      transformResponse: (bytes) => this.#request?.renaming?.take(bytes) ?? bytes,
      onResponse: (bytes) => {
        this.#request?.response.take(bytes);
        this.#onProgress();
      },
      onClosedIdle: () => {
        const isReplaced = this.#proxy !== proxy;
        if (isReplaced) return true;
        // While the client has not accepted the whole response, the proxy connection buffers the rest.
        if (this.#request !== undefined) return false;
        this.#proxy = undefined;
        return true;
      },
    });
    return proxy;
  }
}
