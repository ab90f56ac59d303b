import { withVia } from "../base/http10.ts";
import { Exchange } from "./exchange.ts";
import type { Framed, TakenBody } from "./request-framing.ts";
import type { Tunnel, TunnelWatch } from "./tunnel.ts";

/** Opens a tunnel and hands on what the client has sent first; undefined when there is no room for one. */
export type OpenTunnel = (first: Buffer, watch: TunnelWatch) => Tunnel | undefined;

/** What a connection hands on to the HTTP server: one request at a time, through a tunnel that stays for the next. */
export class HandedOn {
  readonly #open: OpenTunnel;
  readonly #onProgress: () => void;
  #tunnel: Tunnel | undefined;
  #exchange: Exchange | undefined;

  /** `onProgress` is told whenever a part of an answer has come. */
  constructor(open: OpenTunnel, onProgress: () => void) {
    this.#open = open;
    this.#onProgress = onProgress;
  }

  /** Begins with a request's head; false when there is no room. */
  begin(framing: Framed, head: Buffer): boolean {
    this.#exchange = new Exchange(framing);
    const sent = framing.isHttp10 ? withVia(head) : head;
    if (this.#tunnel === undefined) this.#tunnel = this.#open(sent, this.#watch);
    else this.#tunnel.ask(sent);
    return this.#tunnel !== undefined;
  }

  /** Hands on what belongs to the request's body from the beginning of `bytes`. */
  take(bytes: Buffer): TakenBody {
    const taken = this.#exchange?.take(bytes) ?? { kind: "taken", taken: 0, bytes: Buffer.alloc(0) };
    if (taken.kind === "refused") this.#tunnel?.end();
    else if (taken.bytes.length > 0) this.#tunnel?.forward(taken.bytes);
    return taken;
  }

  /** True when the whole request has come. */
  get isAsked(): boolean {
    return this.#exchange?.isAsked ?? true;
  }

  /** When the client has taken the whole answer: whether the connection ends behind it. Undefined before. */
  leave(): { isLast: boolean } | undefined {
    const exchange = this.#exchange;
    if (exchange?.isDone !== true || this.#tunnel?.isAnswering === true) return undefined;
    this.#exchange = undefined;
    return { isLast: exchange.isLast || exchange.answer.isLast };
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

  readonly #watch: TunnelWatch = {
    toClient: (bytes) => this.#exchange?.renaming?.take(bytes) ?? bytes,
    onAnswer: (bytes) => {
      this.#exchange?.answer.take(bytes);
      this.#onProgress();
    },
    onClosedIdle: () => {
      // While the client has not taken the whole answer, the tunnel holds the rest of it.
      if (this.#exchange !== undefined) return false;
      this.#tunnel = undefined;
      return true;
    },
  };
}
