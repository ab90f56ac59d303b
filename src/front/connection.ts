import { isAscii } from "node:buffer";
import type { Socket } from "bun";
import { minuteMs, secondMs } from "../base/time.ts";
import { Answer } from "../redirects/answer.ts";
import type { AnswerVisit } from "../redirects/short-host.ts";
import { headBytesMax, lookAtHead, type RequestHead } from "./request-head.ts";
import type { Tunnel } from "./tunnel.ts";

/** Seconds a silent connection is kept; long enough for a browser's next click, short enough under a flood. */
export const idleTimeoutSeconds = 30;
/** A head takes one packet; one that dribbles in longer is no browser's. */
const headTimeMaxMs = minuteMs / 2;
/** Bytes of requests sent ahead of their answers; beyond them the client is not read any more. */
const waitingBytesMax = 16 * 1024;

/** What all connections of a front work with. */
export type Shared = {
  answer: AnswerVisit;
  /** Told of what no visitor can do anything about. */
  fail(error: unknown): void;
  /** Opens the way to the HTTP server for a client whose address is `peer`. */
  tunnel(client: Client, peer: string): Tunnel;
};

/** A client's socket, which carries its connection. */
export type Client = Socket<Connection>;

/**
 * reading: the next bytes belong to a request.
 * waiting: a request's answer is being made; what comes meanwhile is kept.
 * sending: the client does not take the answer whole; the same.
 * handedOn: bytes go to the HTTP server.
 * ended: nothing that comes matters.
 */
type State = "reading" | "waiting" | "sending" | "handedOn" | "ended";

/** One client's connection: requests in, answers out in their order. See front.ts. */
export class Connection {
  readonly #client: Client;
  readonly #shared: Shared;
  readonly #peer: string;
  #state: State = "reading";
  /** Bytes received that are not answered yet: the beginning of a head, or what waits for an answer before it. */
  #rest: Buffer | undefined;
  #restSince = 0;
  /** Of an answer that the client does not take whole. */
  #unsent: Buffer | undefined;
  #isLast = false;
  #isPaused = false;
  /** The client has said that it sends nothing more; it may still want its answers. */
  #isAllSent = false;
  #tunnel: Tunnel | undefined;

  constructor(client: Client, shared: Shared) {
    this.#client = client;
    this.#shared = shared;
    this.#peer = client.remoteAddress;
  }

  /** Takes what the client sends. */
  receive(bytes: Buffer): void {
    // The runtime counts from the last call, whatever comes or goes in between.
    if (this.#state !== "handedOn") this.#client.timeout(idleTimeoutSeconds);
    switch (this.#state) {
      case "reading":
        if (this.#rest === undefined) this.#read(bytes);
        else this.#readOn(bytes);
        return;
      case "waiting":
      case "sending":
        this.#keep(bytes);
        this.#pauseWhenFull();
        return;
      case "handedOn":
        this.#tunnel?.forward(bytes);
        return;
      case "ended":
        return;
    }
  }

  /** The client takes bytes again. */
  drain(): void {
    if (this.#tunnel !== undefined) this.#tunnel.drain();
    if (this.#state !== "sending" || this.#unsent === undefined) return;
    this.#client.timeout(idleTimeoutSeconds);
    this.#write(this.#unsent);
    if (this.#unsent === undefined) this.#goOn();
  }

  /** Answers what is being waited for, and nothing more. */
  stop(): void {
    this.#isLast = true;
    if (this.#state === "reading") this.#end();
  }

  /** The client sends nothing more. */
  allSent(): void {
    this.#isAllSent = true;
    if (this.#state === "reading") this.#end();
    else this.#tunnel?.finish();
  }

  /** The client is gone. */
  closed(): void {
    this.#state = "ended";
    this.#tunnel?.end();
  }

  /** Answers the requests in `bytes` one after the other, as far as they can be at once. */
  #read(bytes: Buffer): void {
    // One test for all of them: what is not ASCII in a head is rare, and a matter of encodings.
    if (!isAscii(bytes)) {
      this.#handOn(bytes);
      return;
    }
    const text = bytes.toString("latin1");
    for (let start = 0; start < text.length && this.#state === "reading"; ) {
      const head = lookAtHead(text, start);
      if (head.kind === "incomplete" && text.length - start <= headBytesMax) {
        this.#keep(bytes.subarray(start));
        return;
      }
      if (head.kind !== "head") {
        this.#handOn(bytes.subarray(start));
        return;
      }
      const answer = this.#ask(head);
      if (answer instanceof Promise) {
        this.#wait(answer, head, bytes, start);
        return;
      }
      if (answer === undefined) {
        this.#handOn(bytes.subarray(start));
        return;
      }
      this.#send(answer, head);
      start = head.end;
      if (this.#state !== "reading" || this.#isLast) {
        if (start < bytes.length) this.#keep(bytes.subarray(start));
        this.#goOn();
        return;
      }
    }
  }

  /** The rest of a head has come, or a part of it. */
  #readOn(bytes: Buffer): void {
    this.#keep(bytes);
    if (performance.now() - this.#restSince > headTimeMaxMs) this.#end();
    else this.#readRest();
  }

  #readRest(): void {
    const rest = this.#rest;
    if (rest === undefined) return;
    const since = this.#restSince;
    this.#rest = undefined;
    this.#read(rest);
    // The same head is still not whole, so its time runs on.
    if (this.#rest !== undefined && this.#state === "reading") this.#restSince = since;
  }

  #ask({ method, headers, path, query }: RequestHead): ReturnType<AnswerVisit> {
    try {
      return this.#shared.answer({ method, headers, path, query, peer: this.#peer, startedAt: performance.now() });
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** Keeps the request too, for the case that it is to be handed on. */
  #wait(answer: Promise<Answer | undefined>, head: RequestHead, bytes: Buffer, start: number): void {
    this.#state = "waiting";
    this.#keep(start === 0 ? bytes : bytes.subarray(start));
    this.#pauseWhenFull();
    const length = head.end - start;
    answer.then(
      (found) => this.#answered(found, head, length),
      (error) => this.#answered(this.#failed(error), head, length),
    );
  }

  #answered(answer: Answer | undefined, head: RequestHead, length: number): void {
    if (this.#state !== "waiting") return;
    this.#state = "reading";
    const kept = this.#rest ?? nothing;
    if (answer === undefined) {
      this.#handOn(kept);
    } else {
      this.#rest = undefined;
      if (length < kept.length) this.#keep(kept.subarray(length));
      this.#send(answer, head);
      this.#goOn();
    }
  }

  #failed(error: unknown): Answer {
    this.#shared.fail(error);
    this.#isLast = true;
    return fault;
  }

  #send(answer: Answer, head: RequestHead): void {
    if (head.isLast) this.#isLast = true;
    const closing = this.#isLast ? "Connection: close\r\n" : "";
    const body = head.method === "HEAD" ? "" : answer.body;
    const text = `${answer.head}${closing}${dateLine()}\r\n${body}`;
    const written = this.#client.write(text);
    // One byte a character, but for what bodies hold.
    if (body !== "" || written !== text.length) this.#sendLater(Buffer.from(text), written);
  }

  #write(bytes: Buffer): void {
    this.#unsent = undefined;
    this.#sendLater(bytes, this.#client.write(bytes));
  }

  #sendLater(bytes: Buffer, written: number): void {
    this.#state = "reading";
    // A negative number says that the client is gone, which its close tells as well.
    if (written < 0 || written >= bytes.length) return;
    this.#unsent = bytes.subarray(written);
    this.#state = "sending";
  }

  /** Goes on to the next request, if there is to be one. */
  #goOn(): void {
    if (this.#state !== "reading") return;
    if (this.#isLast) {
      this.#end();
      return;
    }
    if (this.#rest !== undefined) this.#readRest();
    if (this.#state === "reading") this.#readMore();
  }

  /** All that has come is answered, but for the beginning of a head. */
  #readMore(): void {
    if (this.#isAllSent) {
      this.#end();
    } else if (this.#isPaused) {
      this.#isPaused = false;
      this.#client.timeout(idleTimeoutSeconds);
      this.#client.resume();
    }
  }

  /** Requests sent ahead of their answers are read up to a bound. */
  #pauseWhenFull(): void {
    if (this.#isPaused || (this.#rest?.length ?? 0) <= waitingBytesMax) return;
    this.#isPaused = true;
    this.#client.pause();
  }

  #keep(bytes: Buffer): void {
    if (this.#rest === undefined) this.#restSince = performance.now();
    this.#rest = this.#rest === undefined ? bytes : Buffer.concat([this.#rest, bytes]);
  }

  /** From these bytes on the connection is the HTTP server's, which also judges how long it may be silent. */
  #handOn(bytes: Buffer): void {
    this.#state = "handedOn";
    this.#rest = undefined;
    this.#client.timeout(0);
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#client.resume();
    }
    this.#tunnel = this.#shared.tunnel(this.#client, this.#peer);
    this.#tunnel.forward(bytes);
    if (this.#isAllSent) this.#tunnel.finish();
  }

  #end(): void {
    this.#state = "ended";
    this.#client.end();
  }
}

const nothing = Buffer.alloc(0);

const fault = new Answer(500, { "Content-Type": "text/plain" }, "Something went wrong on our side.\n");

let dateSecond = 0;
let dateText = "";

/** The Date field, of the present second. */
function dateLine(): string {
  const second = Math.floor(Date.now() / secondMs);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = `Date: ${new Date(second * secondMs).toUTCString()}\r\n`;
  }
  return dateText;
}
