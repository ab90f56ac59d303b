import { withVia } from "../base/http10.ts";
import { ForwardedRequest } from "./forwarded-request.ts";
import type { ConsumedBody, FramedRequest } from "./request-framing.ts";
import type { Tunnel, TunnelCallbacks } from "./tunnel.ts";

/** Opens a tunnel and hands on what the client has sent first; undefined when there is no room for one. */
export type OpenTunnel = (first: Buffer, callbacks: TunnelCallbacks) => Tunnel | undefined;

/** What a connection hands on to the HTTP server: one request at a time, through a tunnel that stays for the next. */
export class Upstream {
  readonly #open: OpenTunnel;
  readonly #onProgress: () => void;
  #tunnel: Tunnel | undefined;
  #request: ForwardedRequest | undefined;

  /** `onProgress` is told whenever a part of an answer has come. */
  constructor(open: OpenTunnel, onProgress: () => void) {
    this.#open = open;
    this.#onProgress = onProgress;
  }

  /** Begins with a request's head; false when there is no room. */
  begin(framing: FramedRequest, head: Buffer): boolean {
    this.#request = new ForwardedRequest(framing);
    const sent = framing.isHttp10 ? withVia(head) : head;
    if (this.#tunnel === undefined) this.#tunnel = this.#open(sent, this.#callbacks);
    else this.#tunnel.sendHead(sent);
    return this.#tunnel !== undefined;
  }

  /** Hands on what belongs to the request's body from the beginning of `bytes`. */
  take(bytes: Buffer): ConsumedBody {
    const taken = this.#request?.take(bytes) ?? { kind: "taken", taken: 0, bytes: Buffer.alloc(0) };
    if (taken.kind === "refused") this.#tunnel?.end();
    else if (taken.bytes.length > 0) this.#tunnel?.forward(taken.bytes);
    return taken;
  }

  /** True when the whole request has come. */
  get isRequestComplete(): boolean {
    return this.#request?.isComplete ?? true;
  }

  /** When the client has taken the whole answer: whether the connection ends behind it. Undefined before. */
  takeFinished(): { isLast: boolean } | undefined {
    const request = this.#request;
    if (request?.isDone !== true || this.#tunnel?.hasUnsentBytes === true) return undefined;
    this.#request = undefined;
    return { isLast: request.isLast || request.response.isLast };
  }

  /** The client takes bytes again. */
  drain(): void {
    this.#tunnel?.drain();
  }

  /** The client sends nothing more. */
  finish(): void {
    this.#tunnel?.finish();
  }

  /** The client is gone. */
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
      // While the client has not taken the whole answer, the tunnel holds the rest of it.
      if (this.#request !== undefined) return false;
      this.#tunnel = undefined;
      return true;
    },
  };
}
