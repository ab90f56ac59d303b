import type { Socket } from "bun";
import type { Answer } from "../redirects/answer.ts";
import type { RedirectHandler } from "../redirects/redirect-handler.ts";
import type { PortKind } from "../redirects/redirect-request.ts";
import { ByteBuffer } from "./byte-buffer.ts";
import type { ConnectionContext } from "./connection-context.ts";
import type { DomainQueue, QueuedConnection } from "./fair-queue.ts";
import { ReceiveBuffer } from "./receive-buffer.ts";
import { busy, headTooLong, internalError, type RequestError, requestErrorText } from "./request-errors.ts";
import { frameRequest } from "./request-framing.ts";
import { headBytesMax, isHeadTooLong, parseRequestHead, type RequestHead } from "./request-head.ts";
import { writeBytes, writeTexts } from "./socket-write.ts";
import { Upstream } from "./upstream.ts";

/** Empty lines allowed before a request: old clients send one after a body (RFC 9112, 2.2). */
const emptyLinesMax = 8;
/** Seconds that a client has to read the error before its connection closes. */
const rejectedSeconds = 4;

/**
 * reading: the next bytes belong to a request.
 * queued: the request waits in the queue of its domain. Here and in the next two states, received bytes are buffered.
 * waiting: the answer is being computed, or is ready and will be sent after the tick.
 * sending: the client has not accepted the whole answer.
 * forwarding: the request goes to the HTTP server, and its response comes from there; later requests are buffered.
 * ended: received bytes are dropped.
 */
type State = "reading" | "queued" | "waiting" | "sending" | "forwarding" | "ended";

/** A computed answer and the head of its request. */
type PendingAnswer = { answer: Answer; head: RequestHead };

/** A client's connection: reads requests and sends the answers in the same order. See public-listener.ts. */
export class Connection implements QueuedConnection {
  readonly peer: string;
  readonly port: PortKind;
  readonly #client: Socket<Connection>;
  readonly #context: ConnectionContext<Connection>;
  #state: State = "reading";
  readonly #received: ReceiveBuffer;
  /** The answer to send after the tick. */
  #pendingAnswer: PendingAnswer | undefined;
  /** When answering the current request began, by context.now(). */
  #startedAt = 0;
  /** The part of an answer that the client has not accepted. */
  #unsent: Buffer | undefined;
  #isLast = false;
  #emptyLines = 0;
  /** Idle timeouts since the last bytes. */
  #idleTimeouts = 0;
  /** True when the client has closed its sending side; it may still read answers. */
  #hasClientEnded = false;
  /** Aborts when the client closes the connection or only its sending side, which is rare. */
  #disconnected: AbortController | undefined;
  readonly #signal = (): AbortSignal => {
    this.#disconnected ??= new AbortController();
    return this.#disconnected.signal;
  };
  readonly #hasEnded = (): boolean => this.#state === "ended";
  readonly #upstream: Upstream;
  /** The queue in which the next request waits, or holds a slot while it is answered. */
  #domainQueue: DomainQueue | undefined;

  constructor(client: Socket<Connection>, port: PortKind, context: ConnectionContext<Connection>) {
    this.#client = client;
    this.port = port;
    this.#context = context;
    this.#received = new ReceiveBuffer(client, context);
    this.peer = client.remoteAddress;
    this.#upstream = new Upstream(
      (first, watch) => context.proxy(client, { peer: this.peer, port }, first, watch),
      () => this.#resumeAfterResponse(),
      context.now,
    );
  }

  /** Receives bytes from the client. */
  receive(bytes: Buffer): void {
    this.#idleTimeouts = 0;
    // The runtime's timeout runs from this call; traffic does not restart it.
    if (this.#state !== "forwarding" && this.#state !== "ended") this.#client.timeout(this.#context.idleTimeoutSeconds);
    switch (this.#state) {
      case "reading":
        if (this.#received.buffer === undefined) this.#read(new ByteBuffer(bytes));
        else this.#readMoreOfHead(bytes);
        return;
      case "queued":
      case "waiting":
      case "sending":
        this.#bufferBytes(bytes);
        return;
      case "forwarding":
        if (this.#upstream.isRequestComplete) this.#bufferBytes(bytes);
        else this.#forwardBody(new ByteBuffer(bytes));
        return;
      case "ended":
        return;
    }
  }

  /** Called when the client accepts bytes again. */
  drain(): void {
    if (this.#state === "forwarding") {
      this.#upstream.drain();
      this.#resumeAfterResponse();
    }
    if (this.#state !== "sending" || this.#unsent === undefined) return;
    this.#client.timeout(this.#context.idleTimeoutSeconds);
    this.#storeUnsent(writeBytes(this.#client, this.#unsent));
    this.#readNext();
  }

  /** Sends the pending answer. `now` is context.now(); `end` ends the head with the Date field and the empty line. */
  sendPending(now: number, end: string): void {
    const pending = this.#pendingAnswer;
    if (pending === undefined) return;
    this.#pendingAnswer = undefined;
    // The client may have disconnected.
    if (this.#state !== "waiting") return;
    this.#context.redirectHandler.onSent(now - this.#startedAt);
    this.#send(pending, end);
    this.#readNext();
  }

  startQueued(): boolean {
    if (this.#state !== "queued") return false;
    this.#state = "reading";
    this.#readRest();
    if (this.#state === "reading") this.#awaitMore();
    return true;
  }

  /** Finishes the pending answer and accepts no further request. */
  stop(): void {
    this.#isLast = true;
    if (this.#state === "reading") this.#end();
  }

  /** Called when the client has closed its sending side. */
  onClientEnd(): void {
    this.#hasClientEnded = true;
    this.#disconnected?.abort();
    if (this.#state === "reading" || this.#state === "ended") this.#end();
    else this.#finishUpstream();
  }

  /** Called when the connection was idle for too long, or an answer took too long. */
  onTimeout(): void {
    if (this.#state === "queued" || this.#state === "waiting") this.#reject(busy);
    else if (this.#state === "ended") this.#client.terminate();
    else if (this.#state === "sending" || this.#received.buffer !== undefined) this.#end();
    else if (++this.#idleTimeouts >= this.#context.idleTimeoutsMax(this.peer)) this.#end();
    else this.#client.timeout(this.#context.idleTimeoutSeconds);
  }

  /** Called when the connection has closed. */
  onClose(): void {
    this.#state = "ended";
    this.#received.clear();
    this.#upstream.end();
    this.#disconnected?.abort();
    this.#context.onClose(this);
  }

  /** Answers the first request in `buffer` and keeps the others for later ticks. */
  #read(buffer: ByteBuffer): void {
    const { text } = buffer;
    for (; this.#emptyLines < emptyLinesMax && text.startsWith("\r\n", buffer.start); this.#emptyLines++) {
      buffer.start += 2;
    }
    if (buffer.start === text.length) return;
    const head = parseRequestHead(text, buffer.start);
    if (head.kind !== "incomplete") this.#emptyLines = 0;
    if (head.kind === "incomplete" && text.length - buffer.start <= headBytesMax) {
      this.#received.set(buffer.rest());
      return;
    }
    if (head.kind === "head" && !this.#acquireSlot(head)) {
      this.#enqueue(buffer);
      return;
    }
    const answer = head.kind === "head" ? this.#answer(head) : undefined;
    if (head.kind !== "head" || answer === undefined) {
      this.#leaveQueue();
      if (isHeadTooLong(text, buffer.start)) this.#reject(headTooLong);
      else this.#forward(buffer);
      return;
    }
    if (answer instanceof Promise) {
      this.#waitFor(answer, head, buffer);
      return;
    }
    buffer.start = head.end;
    this.#leaveQueue();
    this.#sendWhenTickEnds(answer, head);
    if (buffer.start < text.length) this.#keep(buffer);
  }

  /** Continues a head that has only partly arrived. */
  #readMoreOfHead(bytes: Buffer): void {
    this.#received.append(bytes);
    if (this.#received.isLate) this.#end();
    else this.#readRest();
  }

  #readRest(): void {
    const { receivedAt } = this.#received;
    const rest = this.#received.take();
    if (rest === undefined) return;
    const { start } = rest;
    this.#read(rest);
    // The head is still incomplete, so its timeout runs on.
    if (rest.start === start && this.#state === "reading") this.#received.receivedAt = receivedAt;
  }

  /** True when the request has or gets a slot of its domain's queue; otherwise it waits in the queue. */
  #acquireSlot({ headers }: RequestHead): boolean {
    if (this.#domainQueue !== undefined) return true;
    this.#domainQueue = this.#context.domainQueue(headers.host);
    return this.#domainQueue.tryAcquire(this);
  }

  #enqueue(buffer: ByteBuffer): void {
    this.#state = "queued";
    this.#keep(buffer);
  }

  #leaveQueue(): void {
    this.#domainQueue?.release();
    this.#domainQueue = undefined;
  }

  #answer({ method, headers, path, query }: RequestHead): ReturnType<RedirectHandler["answer"]> {
    this.#startedAt = this.#context.now();
    try {
      const { peer, port } = this;
      const signal = this.#signal;
      const hasEnded = this.#hasEnded;
      return this.#context.redirectHandler.answer({ method, headers, path, query, peer, port, signal, hasEnded });
    } catch (error) {
      return this.#onFailure(error);
    }
  }

  /** Keeps the request's bytes too, since the handler may still leave the request to the HTTP server. */
  #waitFor(answer: Promise<Answer | undefined>, head: RequestHead, buffer: ByteBuffer): void {
    this.#state = "waiting";
    this.#keep(buffer);
    const length = head.end - buffer.start;
    answer.then(
      (found) => this.#onAnswer(found, head, length),
      (error) => this.#onAnswer(this.#onFailure(error), head, length),
    );
  }

  #onAnswer(answer: Answer | undefined, head: RequestHead, length: number): void {
    this.#leaveQueue();
    const rest = this.#received.take();
    if (this.#state !== "waiting" || rest === undefined) return;
    this.#state = "reading";
    if (answer === undefined) this.#forward(rest);
    else {
      rest.start += length;
      if (rest.start < rest.bytes.length) this.#received.set(rest);
      this.#sendWhenTickEnds(answer, head);
    }
  }

  #sendWhenTickEnds(answer: Answer, head: RequestHead): void {
    this.#state = "waiting";
    this.#pendingAnswer = { answer, head };
    this.#context.sendAfterTick(this);
  }

  #onFailure(error: unknown): Answer {
    this.#context.fail(error);
    this.#isLast = true;
    return internalError;
  }

  #send({ answer, head }: PendingAnswer, end: string): void {
    if (head.isLast || this.#context.isStopping()) this.#isLast = true;
    const fieldsEnd = this.#isLast ? `Connection: close\r\n${end}` : end;
    const body = head.method === "HEAD" ? "" : answer.body;
    this.#storeUnsent(
      body === ""
        ? writeTexts(this.#client, answer.head, fieldsEnd)
        : writeBytes(this.#client, Buffer.from(`${answer.head}${fieldsEnd}${body}`)),
    );
  }

  #storeUnsent(unsent: Buffer | undefined): void {
    // The client may have disconnected.
    if (this.#state === "ended") return;
    this.#unsent = unsent;
    this.#state = unsent === undefined ? "reading" : "sending";
  }

  /** Continues with the next request, unless this was the last one. */
  #readNext(): void {
    if (this.#state !== "reading") return;
    if (this.#isLast) this.#end();
    else this.#readRest();
    if (this.#state === "reading") this.#awaitMore();
  }

  /** Waits for the next request, unless the client has closed its sending side. Called when all are answered. */
  #awaitMore(): void {
    if (this.#hasClientEnded) this.#end();
    else if (this.#received.resume()) this.#client.timeout(this.#context.idleTimeoutSeconds);
  }

  #keep(buffer: ByteBuffer): void {
    this.#received.set(buffer);
    this.#pauseWhenFull();
  }

  /** Buffers requests that wait for an earlier answer. */
  #bufferBytes(bytes: Buffer): void {
    this.#received.append(bytes);
    this.#pauseWhenFull();
  }

  /** Pauses a client that pipelines too many requests; rejects it when all clients together do. */
  #pauseWhenFull(): void {
    if (!this.#received.pauseWhenFull()) this.#reject(busy);
  }

  /** Forwards the first request to the HTTP server, which applies its own idle timeout. */
  #forward(buffer: ByteBuffer): void {
    const framing = frameRequest(buffer.text, buffer.start, this.#context.bodyBytesMax);
    if (framing.kind === "incomplete") {
      this.#received.set(buffer.rest());
      return;
    }
    if (framing.kind === "refused") {
      this.#reject(framing.error, buffer.text.startsWith("HEAD ", buffer.start));
      return;
    }
    this.#state = "forwarding";
    this.#client.timeout(0);
    this.#received.clear();
    this.#received.resume();
    const head = buffer.bytes.subarray(buffer.start, framing.headEnd);
    buffer.start = framing.headEnd;
    if (this.#upstream.begin(framing, head)) this.#forwardBody(buffer);
    else this.#reject(busy);
  }

  /** Forwards the bytes of the request's body and buffers those after it. */
  #forwardBody(buffer: ByteBuffer): void {
    const taken = this.#upstream.take(buffer.bytes.subarray(buffer.start));
    if (taken.kind === "refused") {
      this.#reject(taken.error);
      return;
    }
    buffer.start += taken.taken;
    if (buffer.start < buffer.bytes.length) this.#keep(buffer.rest());
    if (this.#hasClientEnded) this.#finishUpstream();
    // The whole response may have arrived before the body did, for example the rejection of a body that is too large.
    this.#resumeAfterResponse();
  }

  /** Closes the sending side to the HTTP server too, once no further request is buffered. */
  #finishUpstream(): void {
    if (this.#state !== "forwarding") return;
    if (!this.#upstream.isRequestComplete || this.#received.buffer === undefined) this.#upstream.finish();
  }

  /** Continues with the next request when the client has accepted the whole forwarded response. */
  #resumeAfterResponse(): void {
    const finished = this.#state === "forwarding" ? this.#upstream.takeFinished() : undefined;
    if (finished === undefined) return;
    this.#state = "reading";
    this.#client.timeout(this.#context.idleTimeoutSeconds);
    if (finished.isLast) this.#isLast = true;
    this.#readNext();
  }

  /** Sends an error response and accepts no further request. */
  #reject(error: RequestError, isForHead = false): void {
    // A queued request holds no slot to release; the queue skips it later.
    if (this.#state !== "queued") this.#leaveQueue();
    this.#client.write(requestErrorText(error, { appUrl: this.#context.appUrl, isForHead }));
    if (this.#hasClientEnded) this.#end();
    else {
      // If the connection closed at once, further bytes from the client would reset it, and the response would be lost.
      this.#finish(rejectedSeconds);
      this.#received.resume();
      this.#client.shutdown();
    }
  }

  #end(): void {
    this.#finish(this.#context.idleTimeoutSeconds);
    this.#client.end();
  }

  /** Drops further bytes, and closes the connection if the client has not done so within `seconds`. */
  #finish(seconds: number): void {
    this.#state = "ended";
    this.#received.clear();
    this.#client.timeout(seconds);
  }
}
