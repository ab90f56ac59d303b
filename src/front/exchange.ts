import { LengthRenaming } from "../base/http10.ts";
import { AnswerEnd } from "./answer-end.ts";
import { Chunks } from "./chunks.ts";
import { bodyTooLong, malformed, type Refusal } from "./refusals.ts";
import { bodyBytesMax, type Framed } from "./request-framing.ts";

/** What of some bytes belongs to the request: `parts` are handed on, and `taken` bytes are used up. */
export type TakenBody = { kind: "taken"; taken: number; parts: Buffer[] } | { kind: "refused"; refusal: Refusal };

/** One request that was handed on, until it has come to its end and its answer has. */
export class Exchange {
  readonly answer: AnswerEnd;
  /** True when the client wants the connection closed behind the answer. */
  readonly isLast: boolean;
  /** Of a request in HTTP/1.0. */
  readonly renaming: LengthRenaming | undefined;
  #left: number;
  readonly #chunks: Chunks | undefined;
  #isBodyDone: boolean;

  constructor({ method, body, isLast, isHttp10 }: Pick<Framed, "method" | "body" | "isLast" | "isHttp10">) {
    this.answer = new AnswerEnd(method);
    this.isLast = isLast;
    this.renaming = isHttp10 ? new LengthRenaming() : undefined;
    this.#left = body.kind === "length" ? body.bytes : 0;
    this.#chunks = body.kind === "chunked" ? new Chunks() : undefined;
    this.#isBodyDone = body.kind === "none";
  }

  /** True when the whole request has come. */
  get isAsked(): boolean {
    return this.#isBodyDone;
  }

  /** True when the next request may be looked at, once the client has taken the answer. */
  get isDone(): boolean {
    return this.#isBodyDone && this.answer.isDone;
  }

  /** Takes what belongs to the body from the beginning of `bytes`. */
  take(bytes: Buffer): TakenBody {
    if (this.#isBodyDone) return { kind: "taken", taken: 0, parts: [] };
    if (this.#chunks === undefined) {
      const part = bytes.subarray(0, this.#left);
      this.#left -= part.length;
      this.#isBodyDone = this.#left === 0;
      return { kind: "taken", taken: part.length, parts: [part] };
    }
    const chunks = this.#chunks.take(bytes);
    if (chunks === undefined) return { kind: "refused", refusal: malformed };
    if (this.#chunks.bytes > bodyBytesMax) return { kind: "refused", refusal: bodyTooLong };
    this.#isBodyDone = chunks.isDone;
    return { kind: "taken", taken: chunks.taken, parts: chunks.parts };
  }
}
