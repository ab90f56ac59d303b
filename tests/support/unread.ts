import { connect } from "node:net";

/** A response whose body the client does not read. */
export type UnreadResponse = { status: number; disconnect(): void };

/** Sends a request, reads the beginning of the response, and reads no more until it disconnects. */
export function askUnread(url: string, path: string, key: string): Promise<UnreadResponse> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.on("error", reject);
    socket.once("data", (bytes: Buffer) => {
      socket.pause();
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(bytes.toString("latin1"))?.[1]);
      resolve({ status, disconnect: () => socket.destroy() });
    });
    socket.write(`GET /v1${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  });
}
