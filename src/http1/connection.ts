import { minuteMs } from "../base/time.ts";
import type { Answer } from "../redirects/answer.ts";
import type { RedirectHandler } from "../redirects/redirect-handler.ts";
import { ByteBuffer } from "./byte-buffer.ts";
import type { Client, ConnectionContext } from "./connection-context.ts";
import type { DomainQueue, QueuedConnection } from "./fair-queue.ts";
import { ReceiveBuffer } from "./receive-buffer.ts";
import { busy, headTooLong, internalError, type RequestError, requestErrorText } from "./request-errors.ts";
import { frameRequest } from "./request-framing.ts";
import { headBytesMax, isHeadTooLong, parseRequestHead, type RequestHead } from "./request-head.ts";
import { writeBytes, writeTexts } from "./socket-write.ts";
import { Upstream } from "./upstream.ts";

/** Seconds a silent connection is kept; long enough for a browser's next click, short enough under a flood. */
export const idleSecondsMax = 30;
/** A head takes one packet; one that dribbles in longer is no browser's. */
const headTimeMaxMs = minuteMs / 2;
/** Empty lines before a request: old clients send one behind a body (RFC 9112, 2.2). */
const emptyLinesMax = 8;
/** Seconds in which a client must have read why it is refused. */
const rejectedSeconds = 4;

/**
 * reading: the next bytes belong to a request.
 * queued: a request is not looked at before those of others on its domain; what comes meanwhile is kept.
 * waiting: a request's answer is being made, or is ready and goes out when the turn is over; the same.
 * sending: the client does not take the answer whole; the same.
 * forwarding: a request's bytes go to the HTTP server, and its answer comes from there; what comes behind it is kept.
 * ended: nothing that comes matters.
 */
type State = "reading" | "queued" | "waiting" | "sending" | "forwarding" | "ended";

/** An answer and the head of its request. */
type PendingAnswer = { answer: Answer; head: RequestHead };

/** One client's connection: requests in, answers out in their order. See front.ts. */
export class Connection implements QueuedConnection {
  readonly peer: string;
  readonly #client: Client;
  readonly #context: ConnectionContext;
  #state: State = "reading";
  readonly #received: ReceiveBuffer;
  /** What goes out when the turn is over. */
  #sendAfterTick: PendingAnswer | undefined;
  #startedAt = 0;
  /** Of an answer that the client does not take whole. */
  #unsent: Buffer | undefined;
  #isLast = false;
  #emptyLines = 0;
  /** The client has said that it sends nothing more; it may still want its answers. */
  #hasClientEnded = false;
  /** Aborts when the client ends the connection, or its half of it, which is nearly always the same. */
  #disconnected: AbortController | undefined;
  readonly #signal = (): AbortSignal => {
    this.#disconnected ??= new AbortController();
    return this.#disconnected.signal;
  };
  readonly #upstream: Upstream;
  /** In which the next request stands, or has its place while it is answered. */
  #domainQueue: DomainQueue | undefined;

  constructor(client: Client, context: ConnectionContext) {
    this.#client = client;
    this.#context = context;
    this.#received = new ReceiveBuffer(client, context);
    this.peer = client.remoteAddress;
    this.#upstream = new Upstream(
      (first, watch) => context.tunnel(client, this.peer, first, watch),
      () => this.#resumeAfterResponse(),
    );
  }

  /** Takes what the client sends. */
  receive(bytes: Buffer): void {
    // The runtime counts from the last call, whatever comes or goes in between.
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

  /** The client takes bytes again. */
  drain(): void {
    if (this.#state === "forwarding") {
      this.#upstream.drain();
      this.#resumeAfterResponse();
    }
    if (this.#state !== "sending" || this.#unsent === undefined) return;
    this.#client.timeout(this.#context.idleTimeoutSeconds);
    this.#sent(writeBytes(this.#client, this.#unsent));
    this.#readNext();
  }

  /** Sends the answer that is ready, at a time of the clock's; `end` ends its head. */
  sendPending(now: number, end: string): void {
    const sendAfterTick = this.#sendAfterTick;
    if (sendAfterTick === undefined) return;
    this.#sendAfterTick = undefined;
    // The client may be gone.
    if (this.#state !== "waiting") return;
    this.#context.redirectHandler.onSent(now - this.#startedAt);
    this.#send(sendAfterTick, end);
    this.#readNext();
  }

  startQueued(): boolean {
    if (this.#state !== "queued") return false;
    this.#state = "reading";
    this.#readRest();
    if (this.#state === "reading") this.#awaitMore();
    return true;
  }

  /** Answers what is being waited for, and nothing more. */
  stop(): void {
    this.#isLast = true;
    if (this.#state === "reading") this.#end();
  }

  /** The client sends nothing more. */
  onClientEnd(): void {
    this.#hasClientEnded = true;
    this.#disconnected?.abort();
    if (this.#state === "reading" || this.#state === "ended") this.#end();
    else this.#finishUpstream();
  }

  /** Nothing has come from the client for long, or an answer to it is long in the making. */
  onTimeout(): void {
    if (this.#state === "queued" || this.#state === "waiting") this.#reject(busy);
    else if (this.#state === "ended") this.#client.terminate();
    else this.#end();
  }

  /** The client is gone. */
  onClose(): void {
    this.#state = "ended";
    this.#received.clear();
    this.#upstream.end();
    this.#disconnected?.abort();
    this.#context.onClose(this);
  }

  /** Answers the first request in `packet`, and keeps the others for later turns. */
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
    if (head.kind === "head" && !this.#canStart(head)) {
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
    if (buffer.start < text.length) {
      this.#received.set(buffer);
      this.#pauseWhenFull();
    }
  }

  /** The rest of a head has come, or a part of it. */
  #readMoreOfHead(bytes: Buffer): void {
    this.#received.append(bytes);
    if (this.#context.now() - this.#received.receivedAt > headTimeMaxMs) this.#end();
    else this.#readRest();
  }

  #readRest(): void {
    const { receivedAt } = this.#received;
    const rest = this.#received.take();
    if (rest === undefined) return;
    const { start } = rest;
    this.#read(rest);
    // The same head is still not whole, so its time runs on.
    if (rest.start === start && this.#state === "reading") this.#received.receivedAt = receivedAt;
  }

  /** A place in the line of the request's domain, which it may have already. */
  #canStart({ headers }: RequestHead): boolean {
    if (this.#domainQueue !== undefined) return true;
    this.#domainQueue = this.#context.domainQueue(headers.host);
    return this.#domainQueue.tryAcquire(this);
  }

  #enqueue(buffer: ByteBuffer): void {
    this.#state = "queued";
    this.#received.set(buffer);
    this.#pauseWhenFull();
  }

  #leaveQueue(): void {
    this.#domainQueue?.release();
    this.#domainQueue = undefined;
  }

  #answer({ method, headers, path, query }: RequestHead): ReturnType<RedirectHandler["answer"]> {
    this.#startedAt = this.#context.now();
    try {
      return this.#context.redirectHandler.answer({
        method,
        headers,
        path,
        query,
        peer: this.peer,
        signal: this.#signal,
      });
    } catch (error) {
      return this.#onFailure(error);
    }
  }

  /** Keeps the request too, for the case that it is to be handed on. */
  #waitFor(answer: Promise<Answer | undefined>, head: RequestHead, buffer: ByteBuffer): void {
    this.#state = "waiting";
    this.#received.set(buffer);
    this.#pauseWhenFull();
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
    this.#sendAfterTick = { answer, head };
    this.#context.sendAfterTick(this);
  }

  #onFailure(error: unknown): Answer {
    this.#context.fail(error);
    this.#isLast = true;
    return internalError;
  }

  #send({ answer, head }: PendingAnswer, end: string): void {
    if (head.isLast) this.#isLast = true;
    const fieldsEnd = this.#isLast ? `Connection: close\r\n${end}` : end;
    const body = head.method === "HEAD" ? "" : answer.body;
    this.#sent(
      body === ""
        ? writeTexts(this.#client, answer.head, fieldsEnd)
        : writeBytes(this.#client, Buffer.from(`${answer.head}${fieldsEnd}${body}`)),
    );
  }

  /** An answer is sent, but for what the client has not taken of it. */
  #sent(unsent: Buffer | undefined): void {
    // The client may be gone.
    if (this.#state === "ended") return;
    this.#unsent = unsent;
    this.#state = unsent === undefined ? "reading" : "sending";
  }

  /** Goes on to the next request, if there is to be one. */
  #readNext(): void {
    if (this.#state !== "reading") return;
    if (this.#isLast) this.#end();
    else this.#readRest();
    if (this.#state === "reading") this.#awaitMore();
  }

  /** All that has come is answered, but for the beginning of a head. */
  #awaitMore(): void {
    if (this.#hasClientEnded) this.#end();
    else if (this.#received.resume()) this.#client.timeout(this.#context.idleTimeoutSeconds);
  }

  /** Keeps what waits for an answer before it. */
  #bufferBytes(bytes: Buffer): void {
    this.#received.append(bytes);
    this.#pauseWhenFull();
  }

  /** Requests sent ahead of their answers are read up to a bound. */
  #pauseWhenFull(): void {
    if (!this.#received.pauseWhenFull()) this.#reject(busy);
  }

  /** Hands the first request in the packet on to the HTTP server, which also judges how long it may be silent. */
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

  /** Hands on what belongs to the request's body, and keeps what comes behind it. */
  #forwardBody(buffer: ByteBuffer): void {
    const taken = this.#upstream.take(buffer.bytes.subarray(buffer.start));
    if (taken.kind === "refused") {
      this.#reject(taken.error);
      return;
    }
    buffer.start += taken.taken;
    if (buffer.start < buffer.bytes.length) {
      this.#received.set(buffer.rest());
      this.#pauseWhenFull();
    }
    if (this.#hasClientEnded) this.#finishUpstream();
    // The answer may have come whole before the body did, as that to a body which is too large.
    this.#resumeAfterResponse();
  }

  /** The client sends nothing more: the HTTP server is told behind the last request. */
  #finishUpstream(): void {
    if (this.#state !== "forwarding") return;
    if (!this.#upstream.isRequestComplete || this.#received.buffer === undefined) this.#upstream.finish();
  }

  /** The next request is looked at when the client has taken the whole answer to the one that was handed on. */
  #resumeAfterResponse(): void {
    const left = this.#state === "forwarding" ? this.#upstream.takeFinished() : undefined;
    if (left === undefined) return;
    this.#state = "reading";
    this.#client.timeout(this.#context.idleTimeoutSeconds);
    if (left.isLast) this.#isLast = true;
    this.#readNext();
  }

  /** Answers with one of the front's own refusals, and nothing more. */
  #reject(error: RequestError, isForHead = false): void {
    // Who still stands in line has no place to give back; they are passed over when they are called up.
    if (this.#state !== "queued") this.#leaveQueue();
    this.#client.write(requestErrorText(error, { appUrl: this.#context.appUrl, isForHead }));
    if (this.#hasClientEnded) this.#end();
    else {
      // Closed at once, the connection would be reset when more comes, and the answer with it.
      this.#finish(rejectedSeconds);
      this.#received.resume();
      this.#client.shutdown();
    }
  }

  #end(): void {
    this.#finish(this.#context.idleTimeoutSeconds);
    this.#client.end();
  }

  /** What comes from now on is dropped, and a client that stays is closed when the seconds are over. */
  #finish(seconds: number): void {
    this.#state = "ended";
    this.#received.clear();
    this.#client.timeout(seconds);
  }
}
