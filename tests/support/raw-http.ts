import { connect } from "node:net";

/** The timeout of a request. It is shorter than the test's timeout, and its error message is better. */
const silenceMsMax = 60_000;

export type RawAnswer = { status: number; headers: Headers; body: string };

/**
 * Sends bytes unchanged, for requests that no HTTP client sends. Resolves with the response, or undefined if the server
 * closed without one. The bytes must be an invalid request, or one with `Connection: close`. Throws if the server does
 * not close the connection.
 */
export async function rawRequest(url: string, bytes: string | Buffer): Promise<RawAnswer | undefined> {
  const { hostname, port } = new URL(url);
  const text = await new Promise<string>((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), hostname);
    socket.setEncoding("utf8");
    socket.setTimeout(silenceMsMax, () => {
      reject(new Error(`The connection is open and idle after ${JSON.stringify(received)}.`));
      socket.destroy();
    });
    socket.on("data", (chunk) => {
      received += chunk;
    });
    // A server that closes before it has read all bytes resets the connection; its earlier bytes still count.
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
    socket.write(bytes);
  });
  return parse(text);
}

/** Sends the head and a part of the body, waits until the server has read both, and resets the connection. */
export async function abortUpload(url: string, { head, part }: { head: string; part: string }): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  // The response to a later request shows that the server has read this one.
  await new Promise<void>((resolve) => socket.write(head + part, () => resolve()));
  await fetch(`${url}/healthz`);
  socket.resetAndDestroy();
}

/**
 * Sends the head and a part of the body, runs `between` once the server has read both, sends the rest, and resolves with
 * the response. The head must contain `Connection: close`.
 */
export async function splitUpload(
  url: string,
  { head, part, rest }: { head: string; part: string; rest: string },
  between: () => Promise<void>,
): Promise<RawAnswer | undefined> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk) => {
    received += chunk;
  });
  // As in rawRequest.
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  await new Promise<void>((resolve) => socket.write(head + part, () => resolve()));
  // As in abortUpload.
  await fetch(`${url}/healthz`);
  await between();
  socket.write(rest);
  await closed;
  return parse(received);
}

/** The bytes of a request without a body, with Connection: close. */
export function rawGet(target: string, headers: Record<string, string> = { Host: "localhost" }): string {
  const lines = Object.entries({ ...headers, Connection: "close" }).map(([name, value]) => `${name}: ${value}`);
  return `${[`GET ${target} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`;
}

function parse(text: string): RawAnswer | undefined {
  const headEnd = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = text.slice(0, headEnd).split("\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1];
  if (headEnd === -1 || status === undefined) return undefined;
  const headers = new Headers(lines.map((line): [string, string] => [nameIn(line), valueIn(line)]));
  return { status: Number(status), headers, body: text.slice(headEnd + 4) };
}

function nameIn(line: string): string {
  return line.slice(0, line.indexOf(":"));
}

function valueIn(line: string): string {
  return line.slice(line.indexOf(":") + 1).trim();
}
