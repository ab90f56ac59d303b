import { withVia } from "../base/http10.ts";
import { ForwardedRequest } from "./forwarded-request.ts";
import type { ConsumedBody, FramedRequest } from "./request-framing.ts";
import type { Tunnel, TunnelCallbacks } from "./tunnel.ts";

/** Opens a tunnel and forwards the client's first bytes; undefined when the limits allow no tunnel. */
type OpenTunnel = (first: Buffer, callbacks: TunnelCallbacks) => Tunnel | undefined;

/** A connection's way to the HTTP server: forwards one request at a time through a tunnel that stays open. */
export class Upstream {
  readonly #open: OpenTunnel;
  readonly #onProgress: () => void;
  #tunnel: Tunnel | undefined;
  #request: ForwardedRequest | undefined;

  /** Calls `onProgress` with every part of a response. */
  constructor(open: OpenTunnel, onProgress: () => void) {
    this.#open = open;
    this.#onProgress = onProgress;
  }

  /** Forwards a request's head; false when the limits allow no tunnel. */
  begin(framing: FramedRequest, head: Buffer): boolean {
    this.#request = new ForwardedRequest(framing);
    const sent = framing.isHttp10 ? withVia(head) : head;
    if (this.#tunnel === undefined) this.#tunnel = this.#open(sent, this.#callbacks);
    else this.#tunnel.sendHead(sent);
    return this.#tunnel !== undefined;
  }

  /** Forwards the body's bytes at the beginning of `bytes`. */
  take(bytes: Buffer): ConsumedBody {
    const taken = this.#request?.take(bytes) ?? { kind: "taken", taken: 0, bytes: Buffer.alloc(0) };
    if (taken.kind === "refused") this.#tunnel?.end();
    else if (taken.bytes.length > 0) this.#tunnel?.forward(taken.bytes);
    return taken;
  }

  /** True when the whole request was received. */
  get isRequestComplete(): boolean {
    return this.#request?.isComplete ?? true;
  }

  /** Once the client has accepted the whole response: whether the connection closes after it. Undefined before. */
  takeFinished(): { isLast: boolean } | undefined {
    const request = this.#request;
    if (request?.isDone !== true || this.#tunnel?.hasUnsentBytes === true) return undefined;
    this.#request = undefined;
    return { isLast: request.isLast || request.response.isLast };
  }

  /** Called when the client accepts bytes again. */
  drain(): void {
    this.#tunnel?.drain();
  }

  /** Called when the client has closed its sending side. */
  finish(): void {
    this.#tunnel?.finish();
  }

  /** Called when the client has disconnected. */
  end(): void {
    this.#tunnel?.end();
  }

  readonly #callbacks: TunnelCallbacks = {
    transformResponse: (bytes) => this.#request?.renaming?.take(bytes) ?? bytes,
    onResponse: (bytes) => {
      this.#request?.response.take(bytes);
      this.#onProgress();
    },
    onClosedIdle: () => {
      // While the client has not accepted the whole response, the tunnel buffers the rest.
      if (this.#request !== undefined) return false;
      this.#tunnel = undefined;
      return true;
    },
  };
}
