import { connect, type Socket } from "node:net";
import { pick, type Random } from "./clicks.ts";

/** The user agent of every visitor: that of a human. */
const browser =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";

/**
 * Visitors who request random links with a unique token in each query (`?t=<token>`), and record the responses. They
 * work across restarts of the server.
 *
 * They write requests to plain sockets, one at a time on each: `fetch` repeats a request when its keep-alive connection
 * was closed, so that the number of sent requests would be unknown.
 */
export class Visitors {
  /** Link keys by the tokens of the requests with a complete 302 response. */
  readonly answered = new Map<number, string>();
  /** Tokens of requests whose connection ended before the response arrived. */
  readonly unanswered = new Set<number>();
  /** Incomplete responses. */
  readonly cut: string[] = [];
  /** Heads of responses that are not redirects. */
  readonly unexpectedResponses: string[] = [];
  readonly #options: { keys: readonly string[]; connections: number; address: string; random: Random };
  #tokens = 0;
  #isStopping = false;
  #connections: Promise<void>[] = [];

  constructor(options: { keys: readonly string[]; connections: number; address: string; random: Random }) {
    this.#options = options;
  }

  /** Begins to send requests to the server at `url`, as fast as it answers. */
  start(url: string): void {
    this.#isStopping = false;
    const { port } = new URL(url);
    this.#connections = Array.from({ length: this.#options.connections }, () => this.#visit(Number(port)));
  }

  /** Resolves when every connection has ended, because the server was killed or after a last response. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#connections);
  }

  /** Sends requests until `count` more of them have been answered. */
  async visitTimes(url: string, count: number): Promise<void> {
    const target = this.answered.size + count;
    this.start(url);
    while (this.answered.size < target && this.unexpectedResponses.length === 0) await Bun.sleep(1);
    await this.stop();
  }

  async #visit(port: number): Promise<void> {
    const socket = connect(port, "127.0.0.1");
    const state = { token: 0, key: "", text: "" };
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    socket.on("connect", () => this.#request(socket, state));
    socket.on("data", (text: string) => {
      state.text += text;
      // A redirect has no body: Content-Length is 0.
      if (!state.text.endsWith("\r\n\r\n")) return;
      this.#record(state);
      if (this.#isStopping) socket.end();
      else this.#request(socket, state);
    });
    // A killed server resets its connections; only the responses before that count.
    socket.on("error", () => {});
    await new Promise<void>((resolve) => socket.on("close", () => resolve()));
    if (state.token === 0) return;
    this.unanswered.add(state.token);
    if (state.text !== "") this.cut.push(state.text);
  }

  #request(socket: Socket, state: { token: number; key: string; text: string }): void {
    state.token = ++this.#tokens;
    state.key = pick(this.#options.random, this.#options.keys);
    state.text = "";
    socket.write(
      `GET /${state.key}?t=${state.token} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${browser}\r\n` +
        `X-Forwarded-For: ${this.#options.address}\r\nReferer: https://news.example.com/today\r\n\r\n`,
    );
  }

  #record(state: { token: number; key: string; text: string }): void {
    if (state.text.startsWith("HTTP/1.1 302 ") && /\r\ncontent-length: 0\r\n/i.test(state.text)) {
      this.answered.set(state.token, state.key);
    } else {
      this.unexpectedResponses.push(state.text);
    }
    state.token = 0;
  }
}
