import { type Environment, ownerKey } from "./server.ts";

/** A received event: its id, its parsed data, and the time of its arrival. */
type LiveEvent = { id: string; data: unknown; at: number };

type LiveOptions = { query?: string; key?: string; lastEventId?: string; headers?: Environment };

/** A client of GET /v1/events/live that reads like a browser's EventSource: fields, comments, ids without data. */
export class LiveReader {
  readonly status: number;
  readonly headers: Headers;
  readonly events: LiveEvent[] = [];
  readonly comments: string[] = [];
  /** The Last-Event-ID that an EventSource would send when it reconnects. */
  lastEventId: string;
  /** Resolves when the server or this client has ended the stream. */
  readonly ended: Promise<void>;
  readonly #connection: AbortController;
  #rest = "";
  #id: string | undefined;
  #data: string[] = [];
  #changed = Promise.withResolvers<void>();

  private constructor(response: Response, connection: AbortController, lastEventId: string) {
    this.status = response.status;
    this.headers = response.headers;
    this.lastEventId = lastEventId;
    this.#connection = connection;
    this.ended = this.#read(response);
  }

  /** Connects, and resolves when the head of the response has arrived. */
  static async open(url: string, options: LiveOptions = {}): Promise<LiveReader> {
    const { query = "", key = ownerKey, lastEventId = "", headers = {} } = options;
    const connection = new AbortController();
    const response = await fetch(`${url}/v1/events/live${query}`, {
      headers: {
        Authorization: `Bearer ${key}`,
        Accept: "text/event-stream",
        ...(lastEventId === "" ? {} : { "Last-Event-ID": lastEventId }),
        ...headers,
      },
      signal: connection.signal,
    });
    return new LiveReader(response, connection, lastEventId);
  }

  /** Resolves when the first event id has arrived: the stream misses no click after it. */
  async ready(): Promise<this> {
    await this.until(() => this.lastEventId !== "");
    return this;
  }

  /** Resolves when `holds` returns true; throws if the stream ends first. */
  async until(holds: () => boolean): Promise<void> {
    let isOver = false;
    void this.ended.then(() => {
      isOver = true;
      this.#notify();
    });
    while (!holds()) {
      if (isOver) throw new Error(`The stream ended with ${this.events.length} events.`);
      await this.#changed.promise;
    }
  }

  /** Resolves with the events when there are `count` of them. */
  async eventsUpTo(count: number): Promise<LiveEvent[]> {
    await this.until(() => this.events.length >= count);
    return this.events;
  }

  /** Closes the connection. */
  async kill(): Promise<void> {
    this.#connection.abort();
    await this.ended;
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of response.body ?? []) this.#receive(decoder.decode(bytes, { stream: true }));
    } catch {
      // The client or the server closed the connection, so the stream has ended.
    }
  }

  #receive(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#receiveLine(line);
    this.#notify();
  }

  #receiveLine(line: string): void {
    if (line.startsWith(":")) this.comments.push(line.slice(1).trim());
    else if (line.startsWith("id: ")) this.#id = line.slice("id: ".length);
    else if (line.startsWith("data: ")) this.#data.push(line.slice("data: ".length));
    else if (line === "") this.#dispatch();
  }

  /** Adds only complete events, because the server sends a truncated event again. */
  #dispatch(): void {
    if (this.#id !== undefined) this.lastEventId = this.#id;
    if (this.#data.length > 0) {
      this.events.push({ id: this.lastEventId, data: JSON.parse(this.#data.join("\n")), at: performance.now() });
    }
    this.#data = [];
  }

  #notify(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }
}
