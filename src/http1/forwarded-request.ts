import { ContentLengthRewriter } from "../base/http10.ts";
import { ChunkedBody } from "./chunked-body.ts";
import type { ConsumedBody, FramedRequest } from "./request-framing.ts";
import { ResponseFraming } from "./response-framing.ts";

const nothing = Buffer.alloc(0);

/** A request that is being forwarded, and its response. */
export class ForwardedRequest {
  readonly response: ResponseFraming;
  /** True when the client wants the connection closed after the response. */
  readonly isLast: boolean;
  /** Only for a request in HTTP/1.0. */
  readonly renaming: ContentLengthRewriter | undefined;
  #left: number;
  readonly #chunked: ChunkedBody | undefined;
  #isBodyDone: boolean;

  constructor({ method, body, isLast, isHttp10 }: Pick<FramedRequest, "method" | "body" | "isLast" | "isHttp10">) {
    this.response = new ResponseFraming(method);
    this.isLast = isLast;
    this.renaming = isHttp10 ? new ContentLengthRewriter() : undefined;
    this.#left = body.kind === "length" ? body.bytes : 0;
    this.#chunked = body.kind === "chunked" ? new ChunkedBody(body.bytesMax) : undefined;
    this.#isBodyDone = body.kind === "none";
  }

  /** True when the whole request was received. */
  get isComplete(): boolean {
    return this.#isBodyDone;
  }

  /** True when request and response are complete. */
  get isDone(): boolean {
    return this.#isBodyDone && this.response.isDone;
  }

  /** Consumes the body's bytes at the beginning of `bytes`. */
  take(bytes: Buffer): ConsumedBody {
    if (this.#isBodyDone) return { kind: "taken", taken: 0, bytes: nothing };
    if (this.#chunked === undefined) {
      const part = bytes.subarray(0, this.#left);
      this.#left -= part.length;
      this.#isBodyDone = this.#left === 0;
      return { kind: "taken", taken: part.length, bytes: part };
    }
    const taken = this.#chunked.take(bytes);
    if (taken.kind === "taken") this.#isBodyDone = this.#chunked.isDone;
    return taken;
  }
}
