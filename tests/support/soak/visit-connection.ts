import { connect, type Socket } from "node:net";

/** The response to a visit; `cut` when the connection ended first, `unsent` when there was no connection. */
export type VisitResponse =
  | { kind: "answered"; status: number; location: string }
  | { kind: "cut" }
  | { kind: "unsent" }
  | { kind: "late" };

/** A client may wait this long: longer than any stop of a process and any start of the server in a soak test. */
const responseMsMax = 60_000;
const connectMsMax = 5_000;

/**
 * A keep-alive connection of a visitor to the server, opened again when it has ended. It sends each request once, which
 * `fetch` does not promise: it repeats a request whose connection was closed.
 */
export class VisitConnection {
  #socket: Socket | undefined;
  #port = 0;
  #text = "";
  #changed = Promise.withResolvers<void>();

  /** Sends the text of a request without a body, and resolves with the response. */
  async send(url: string, request: string, hasBody: boolean): Promise<VisitResponse> {
    const socket = await this.#connected(Number(new URL(url).port));
    if (socket === undefined) return { kind: "unsent" };
    this.#text = "";
    socket.write(request, "latin1");
    const deadline = performance.now() + responseMsMax;
    for (;;) {
      const response = responseIn(this.#text, hasBody);
      if (response !== undefined) return response;
      if (socket.destroyed) return { kind: "cut" };
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) {
        socket.destroy();
        return { kind: "late" };
      }
      await Promise.race([this.#changed.promise, Bun.sleep(Math.min(leftMs, 1_000))]);
    }
  }

  close(): void {
    this.#socket?.destroy();
  }

  async #connected(port: number): Promise<Socket | undefined> {
    if (this.#socket !== undefined && !this.#socket.destroyed && this.#port === port) return this.#socket;
    this.#socket?.destroy();
    const socket = connect(port, "127.0.0.1");
    this.#socket = socket;
    this.#port = port;
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    const opened = Promise.withResolvers<boolean>();
    socket.on("connect", () => opened.resolve(true));
    socket.on("data", (text: string) => {
      this.#text += text;
      this.#notify();
    });
    // "close" follows, and a killed server resets its connections.
    socket.on("error", () => {});
    // The server closes idle connections.
    socket.on("end", () => socket.destroy());
    socket.on("close", () => {
      opened.resolve(false);
      this.#notify();
    });
    const isOpen = await Promise.race([opened.promise, Bun.sleep(connectMsMax).then(() => false)]);
    if (!isOpen) socket.destroy();
    return isOpen ? socket : undefined;
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}

/** The response when its text is complete. */
function responseIn(text: string, hasBody: boolean): VisitResponse | undefined {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const head = text.slice(0, headEnd);
  const status = Number(head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (hasBody && text.length < headEnd + 4 + length) return undefined;
  return { kind: "answered", status, location: /\r\nlocation: ([^\r]*)/i.exec(head)?.[1] ?? "" };
}
