import { minuteMs } from "../base/time.ts";
import type { Answer } from "../redirects/answer.ts";
import type { Visits } from "../redirects/short-host.ts";
import { HandedOn } from "./handed-on.ts";
import { Inbox } from "./inbox.ts";
import type { Line, Waiting } from "./lines.ts";
import { Packet } from "./packet.ts";
import { busy, fault, headTooLong, type Refusal, refusalText } from "./refusals.ts";
import { frameRequest } from "./request-framing.ts";
import { headBytesMax, isHeadTooLong, lookAtHead, type RequestHead } from "./request-head.ts";
import type { Client, Shared } from "./shared.ts";
import { writeBytes, writeTexts } from "./write.ts";

/** Seconds a silent connection is kept; long enough for a browser's next click, short enough under a flood. */
export const idleSecondsMax = 30;
/** A head takes one packet; one that dribbles in longer is no browser's. */
const headTimeMaxMs = minuteMs / 2;
/** Empty lines before a request: old clients send one behind a body (RFC 9112, 2.2). */
const emptyLinesMax = 8;
/** Seconds in which a client must have read why it is refused. */
const refusedSeconds = 4;

/**
 * reading: the next bytes belong to a request.
 * inLine: a request is not looked at before those of others on its domain; what comes meanwhile is kept.
 * waiting: a request's answer is being made, or is ready and goes out when the turn is over; the same.
 * sending: the client does not take the answer whole; the same.
 * handedOn: a request's bytes go to the HTTP server, and its answer comes from there; what comes behind it is kept.
 * ended: nothing that comes matters.
 */
type State = "reading" | "inLine" | "waiting" | "sending" | "handedOn" | "ended";

/** An answer and the head of its request. */
type Ready = { answer: Answer; head: RequestHead };

/** One client's connection: requests in, answers out in their order. See front.ts. */
export class Connection implements Waiting {
  readonly peer: string;
  readonly #client: Client;
  readonly #shared: Shared;
  #state: State = "reading";
  readonly #inbox: Inbox;
  /** What goes out when the turn is over. */
  #ready: Ready | undefined;
  #askedAt = 0;
  /** Of an answer that the client does not take whole. */
  #unsent: Buffer | undefined;
  #isLast = false;
  #emptyLines = 0;
  /** The client has said that it sends nothing more; it may still want its answers. */
  #isAllSent = false;
  /** Aborts when the client ends the connection, or its half of it, which is nearly always the same. */
  #gone: AbortController | undefined;
  readonly #signal = (): AbortSignal => {
    this.#gone ??= new AbortController();
    return this.#gone.signal;
  };
  readonly #handedOn: HandedOn;
  /** In which the next request stands, or has its place while it is answered. */
  #line: Line | undefined;

  constructor(client: Client, shared: Shared) {
    this.#client = client;
    this.#shared = shared;
    this.#inbox = new Inbox(client, shared);
    this.peer = client.remoteAddress;
    this.#handedOn = new HandedOn(
      (first, watch) => shared.tunnel(client, this.peer, first, watch),
      () => this.#goOnBehindAnswer(),
    );
  }

  /** Takes what the client sends. */
  receive(bytes: Buffer): void {
    // The runtime counts from the last call, whatever comes or goes in between.
    if (this.#state !== "handedOn" && this.#state !== "ended") this.#client.timeout(this.#shared.idleTimeoutSeconds);
    switch (this.#state) {
      case "reading":
        if (this.#inbox.packet === undefined) this.#read(new Packet(bytes));
        else this.#readOn(bytes);
        return;
      case "inLine":
      case "waiting":
      case "sending":
        this.#keep(bytes);
        return;
      case "handedOn":
        if (this.#handedOn.isAsked) this.#keep(bytes);
        else this.#takeBody(new Packet(bytes));
        return;
      case "ended":
        return;
    }
  }

  /** The client takes bytes again. */
  drain(): void {
    if (this.#state === "handedOn") {
      this.#handedOn.drain();
      this.#goOnBehindAnswer();
    }
    if (this.#state !== "sending" || this.#unsent === undefined) return;
    this.#client.timeout(this.#shared.idleTimeoutSeconds);
    this.#sent(writeBytes(this.#client, this.#unsent));
    this.#goOn();
  }

  /** Sends the answer that is ready, at a time of the clock's; `end` ends its head. */
  sendReady(now: number, end: string): void {
    const ready = this.#ready;
    if (ready === undefined) return;
    this.#ready = undefined;
    // The client may be gone.
    if (this.#state !== "waiting") return;
    this.#shared.visits.onSent(now - this.#askedAt);
    this.#send(ready, end);
    this.#goOn();
  }

  callUp(): boolean {
    if (this.#state !== "inLine") return false;
    this.#state = "reading";
    this.#readRest();
    if (this.#state === "reading") this.#readMore();
    return true;
  }

  /** Answers what is being waited for, and nothing more. */
  stop(): void {
    this.#isLast = true;
    if (this.#state === "reading") this.#end();
  }

  /** The client sends nothing more. */
  allSent(): void {
    this.#isAllSent = true;
    this.#gone?.abort();
    if (this.#state === "reading" || this.#state === "ended") this.#end();
    else this.#finishHandedOn();
  }

  /** Nothing has come from the client for long, or an answer to it is long in the making. */
  silent(): void {
    if (this.#state === "inLine" || this.#state === "waiting") this.#refuse(busy);
    else if (this.#state === "ended") this.#client.terminate();
    else this.#end();
  }

  /** The client is gone. */
  closed(): void {
    this.#state = "ended";
    this.#inbox.clear();
    this.#handedOn.end();
    this.#gone?.abort();
    this.#shared.closed(this);
  }

  /** Answers the first request in `packet`, and keeps the others for later turns. */
  #read(packet: Packet): void {
    const { text } = packet;
    for (; this.#emptyLines < emptyLinesMax && text.startsWith("\r\n", packet.start); this.#emptyLines++) {
      packet.start += 2;
    }
    if (packet.start === text.length) return;
    const head = lookAtHead(text, packet.start);
    if (head.kind !== "incomplete") this.#emptyLines = 0;
    if (head.kind === "incomplete" && text.length - packet.start <= headBytesMax) {
      this.#inbox.put(packet.rest());
      return;
    }
    if (head.kind === "head" && !this.#isItsTurn(head)) {
      this.#standInLine(packet);
      return;
    }
    const answer = head.kind === "head" ? this.#ask(head) : undefined;
    if (head.kind !== "head" || answer === undefined) {
      this.#leaveLine();
      if (isHeadTooLong(text, packet.start)) this.#refuse(headTooLong);
      else this.#handOn(packet);
      return;
    }
    if (answer instanceof Promise) {
      this.#wait(answer, head, packet);
      return;
    }
    packet.start = head.end;
    this.#leaveLine();
    this.#awaitTurnsEnd(answer, head);
    if (packet.start < text.length) {
      this.#inbox.put(packet);
      this.#pauseWhenFull();
    }
  }

  /** The rest of a head has come, or a part of it. */
  #readOn(bytes: Buffer): void {
    this.#inbox.add(bytes);
    if (this.#shared.now() - this.#inbox.since > headTimeMaxMs) this.#end();
    else this.#readRest();
  }

  #readRest(): void {
    const { since } = this.#inbox;
    const rest = this.#inbox.take();
    if (rest === undefined) return;
    const { start } = rest;
    this.#read(rest);
    // The same head is still not whole, so its time runs on.
    if (rest.start === start && this.#state === "reading") this.#inbox.since = since;
  }

  /** A place in the line of the request's domain, which it may have already. */
  #isItsTurn({ headers }: RequestHead): boolean {
    if (this.#line !== undefined) return true;
    this.#line = this.#shared.line(headers.host);
    return this.#line.enter(this);
  }

  #standInLine(packet: Packet): void {
    this.#state = "inLine";
    this.#inbox.put(packet);
    this.#pauseWhenFull();
  }

  #leaveLine(): void {
    this.#line?.leave();
    this.#line = undefined;
  }

  #ask({ method, headers, path, query }: RequestHead): ReturnType<Visits["answer"]> {
    this.#askedAt = this.#shared.now();
    try {
      return this.#shared.visits.answer({ method, headers, path, query, peer: this.peer, signal: this.#signal });
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** Keeps the request too, for the case that it is to be handed on. */
  #wait(answer: Promise<Answer | undefined>, head: RequestHead, packet: Packet): void {
    this.#state = "waiting";
    this.#inbox.put(packet);
    this.#pauseWhenFull();
    const length = head.end - packet.start;
    answer.then(
      (found) => this.#answered(found, head, length),
      (error) => this.#answered(this.#failed(error), head, length),
    );
  }

  #answered(answer: Answer | undefined, head: RequestHead, length: number): void {
    this.#leaveLine();
    const rest = this.#inbox.take();
    if (this.#state !== "waiting" || rest === undefined) return;
    this.#state = "reading";
    if (answer === undefined) this.#handOn(rest);
    else {
      rest.start += length;
      if (rest.start < rest.bytes.length) this.#inbox.put(rest);
      this.#awaitTurnsEnd(answer, head);
    }
  }

  #awaitTurnsEnd(answer: Answer, head: RequestHead): void {
    this.#state = "waiting";
    this.#ready = { answer, head };
    this.#shared.ready(this);
  }

  #failed(error: unknown): Answer {
    this.#shared.fail(error);
    this.#isLast = true;
    return fault;
  }

  #send({ answer, head }: Ready, end: string): void {
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
  #goOn(): void {
    if (this.#state !== "reading") return;
    if (this.#isLast) this.#end();
    else this.#readRest();
    if (this.#state === "reading") this.#readMore();
  }

  /** All that has come is answered, but for the beginning of a head. */
  #readMore(): void {
    if (this.#isAllSent) this.#end();
    else if (this.#inbox.resume()) this.#client.timeout(this.#shared.idleTimeoutSeconds);
  }

  /** Keeps what waits for an answer before it. */
  #keep(bytes: Buffer): void {
    this.#inbox.add(bytes);
    this.#pauseWhenFull();
  }

  /** Requests sent ahead of their answers are read up to a bound. */
  #pauseWhenFull(): void {
    if (!this.#inbox.pauseWhenFull()) this.#refuse(busy);
  }

  /** Hands the first request in the packet on to the HTTP server, which also judges how long it may be silent. */
  #handOn(packet: Packet): void {
    const framing = frameRequest(packet.text, packet.start, this.#shared.bodyBytesMax);
    if (framing.kind === "incomplete") {
      this.#inbox.put(packet.rest());
      return;
    }
    if (framing.kind === "refused") {
      this.#refuse(framing.refusal, packet.text.startsWith("HEAD ", packet.start));
      return;
    }
    this.#state = "handedOn";
    this.#client.timeout(0);
    this.#inbox.clear();
    this.#inbox.resume();
    const head = packet.bytes.subarray(packet.start, framing.headEnd);
    packet.start = framing.headEnd;
    if (this.#handedOn.begin(framing, head)) this.#takeBody(packet);
    else this.#refuse(busy);
  }

  /** Hands on what belongs to the request's body, and keeps what comes behind it. */
  #takeBody(packet: Packet): void {
    const taken = this.#handedOn.take(packet.bytes.subarray(packet.start));
    if (taken.kind === "refused") {
      this.#refuse(taken.refusal);
      return;
    }
    packet.start += taken.taken;
    if (packet.start < packet.bytes.length) {
      this.#inbox.put(packet.rest());
      this.#pauseWhenFull();
    }
    if (this.#isAllSent) this.#finishHandedOn();
    // The answer may have come whole before the body did, as that to a body which is too large.
    this.#goOnBehindAnswer();
  }

  /** The client sends nothing more: the HTTP server is told behind the last request. */
  #finishHandedOn(): void {
    if (this.#state !== "handedOn") return;
    if (!this.#handedOn.isAsked || this.#inbox.packet === undefined) this.#handedOn.finish();
  }

  /** The next request is looked at when the client has taken the whole answer to the one that was handed on. */
  #goOnBehindAnswer(): void {
    const left = this.#state === "handedOn" ? this.#handedOn.leave() : undefined;
    if (left === undefined) return;
    this.#state = "reading";
    this.#client.timeout(this.#shared.idleTimeoutSeconds);
    if (left.isLast) this.#isLast = true;
    this.#goOn();
  }

  /** Answers with one of the front's own refusals, and nothing more. */
  #refuse(refusal: Refusal, isForHead = false): void {
    // Who still stands in line has no place to give back; they are passed over when they are called up.
    if (this.#state !== "inLine") this.#leaveLine();
    this.#client.write(refusalText(refusal, { appUrl: this.#shared.appUrl, isForHead }));
    if (this.#isAllSent) this.#end();
    else {
      // Closed at once, the connection would be reset when more comes, and the answer with it.
      this.#finish(refusedSeconds);
      this.#inbox.resume();
      this.#client.shutdown();
    }
  }

  #end(): void {
    this.#finish(this.#shared.idleTimeoutSeconds);
    this.#client.end();
  }

  /** What comes from now on is dropped, and a client that stays is closed when the seconds are over. */
  #finish(seconds: number): void {
    this.#state = "ended";
    this.#inbox.clear();
    this.#client.timeout(seconds);
  }
}
