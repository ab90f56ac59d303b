import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

const answerMsMax = 60_000;

/** A response as received; field names are in lower case, in their original order. */
export type WireAnswer = { status: number; fields: [string, string][]; body: Buffer };

/** A client connection on which the test writes every byte. */
export type RawConnection = {
  readonly socket: Socket;
  /** Resolves when the operating system has the bytes. */
  send(bytes: string | Buffer): Promise<void>;
  /**
   * Reads the next responses, to requests with these methods. Fails if the connection ends early, or after a timeout.
   */
  answers(methods: readonly string[]): Promise<WireAnswer[]>;
  /** Resolves when the server has closed, with the bytes after the responses that were read. Fails after a timeout. */
  closed(): Promise<Buffer>;
};

/** The local address, and for a connection with TLS the server name and the certificates to trust. */
export type RawOptions = {
  localAddress?: string;
  /** The IPv4 address from which the connection comes, told to the server in the PROXY protocol, before TLS. */
  announcedAddress?: string;
  tls?: { servername: string; ca: string };
};

/** Connects, from the given loopback address if there is one, with TLS if the options say so. */
export async function openRaw(url: string, options: RawOptions = {}): Promise<RawConnection> {
  const { localAddress, announcedAddress, tls } = options;
  const { hostname, port } = new URL(url);
  const address = { host: hostname, port: Number(port), allowHalfOpen: true, ...(localAddress && { localAddress }) };
  const socket = announcedAddress === undefined ? connectDirectly() : announce(announcedAddress);
  let chunks: Buffer[] = [];
  let isClosed = false;
  let wake = () => {};
  let hasTimedOut = false;
  socket.setTimeout(answerMsMax, () => {
    hasTimedOut = true;
    socket.destroy();
  });
  socket.on("data", (chunk) => {
    chunks.push(chunk);
    wake();
  });
  // A server that closes before it has read all bytes resets the connection; its earlier bytes still count.
  socket.on("error", () => {});
  for (const event of ["end", "close"]) {
    socket.on(event, () => {
      isClosed = true;
      wake();
    });
  }
  const opened = tls === undefined ? "connect" : "secureConnect";
  await new Promise((resolve) => socket.once(opened, resolve).once("close", resolve));

  function connectDirectly(): Socket {
    return tls === undefined ? connect(address) : connectTls({ ...address, ...tls });
  }
  function announce(from: string): Socket {
    const plain = connect(address);
    // The TLS socket reports the error.
    plain.on("error", () => {});
    plain.write(`PROXY TCP4 ${from} ${hostname} 1024 ${port}\r\n`);
    return tls === undefined ? plain : connectTls({ socket: plain, ...tls });
  }
  function received(): Buffer {
    if (chunks.length !== 1) chunks = [Buffer.concat(chunks)];
    return chunks[0] ?? Buffer.alloc(0);
  }
  async function more(): Promise<void> {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  return {
    socket,
    send: (bytes) => new Promise((resolve) => socket.write(bytes, () => resolve())),
    async answers(methods) {
      const answers: WireAnswer[] = [];
      let at = 0;
      for (const method of methods) {
        for (;;) {
          const found = readAnswer(received(), at, method);
          if (found !== undefined) {
            answers.push(found.answer);
            at = found.end;
            break;
          }
          if (isClosed) throw new Error(`Closed after ${answers.length} answers and "${received().subarray(at)}"`);
          await more();
        }
      }
      chunks = [received().subarray(at)];
      return answers;
    },
    async closed() {
      while (!isClosed) await more();
      if (hasTimedOut) throw new Error(`The server sent nothing for ${answerMsMax} ms, and did not close.`);
      socket.destroy();
      return received();
    },
  };
}

/** Sends one request on a new connection, which is closed afterwards. */
export async function askRaw(url: string, bytes: string, options: RawOptions = {}) {
  const connection = await openRaw(url, options);
  await connection.send(bytes);
  const [answer] = await connection.answers([bytes.slice(0, bytes.indexOf(" "))]);
  connection.socket.destroy();
  if (answer === undefined) throw new Error("The server did not answer.");
  return answer;
}

/** The value of a header field; "" if the response lacks it. */
export function fieldOf({ fields }: WireAnswer, name: string): string {
  return fields.find(([known]) => known === name)?.[1] ?? "";
}

function readAnswer(bytes: Buffer, start: number, method: string): { answer: WireAnswer; end: number } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n", start);
  if (headEnd === -1) return undefined;
  const [statusLine = "", ...lines] = bytes.toString("latin1", start, headEnd).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const head = { status, fields, body: Buffer.alloc(0) };
  const bodyStart = headEnd + 4;
  if (method === "HEAD" || status === 304) return { answer: head, end: bodyStart };
  if (fieldOf(head, "transfer-encoding") === "chunked") return readChunks(bytes, bodyStart, head);
  const end = bodyStart + Number(fieldOf(head, "content-length"));
  if (bytes.length < end) return undefined;
  return { answer: { ...head, body: bytes.subarray(bodyStart, end) }, end };
}

function readChunks(bytes: Buffer, start: number, head: WireAnswer) {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const length = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + length;
    if (bytes.length < end + 2) return undefined;
    if (length === 0) return { answer: { ...head, body: Buffer.concat(parts) }, end: end + 2 };
    parts.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}
