/**
 * Opens connections with TLS one after the other, several at a time, and closes each after its handshake. Arguments: port,
 * server name, seconds, and "new" or "resumed". Prints the number of handshakes.
 */
import { connect, type TLSSocket } from "node:tls";

const atOnce = 8;
const [port, servername = "", seconds, kind] = process.argv.slice(2);
const until = performance.now() + Number(seconds) * 1_000;
const address = { host: "127.0.0.1", port: Number(port), servername, rejectUnauthorized: false };

/** Connects; resolves when the handshake is done. */
function shakeHands(session?: Buffer): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...address, ...(session && { session }) });
    socket.on("error", reject);
    socket.on("secureConnect", () => {
      if (session === undefined || socket.isSessionReused()) resolve(socket);
      else reject(new Error("The session was not resumed."));
    });
  });
}

/** A session that later connections can resume: with TLS 1.3 it arrives with the first response. */
async function newSession(): Promise<Buffer | undefined> {
  const socket = await shakeHands();
  socket.write(`GET / HTTP/1.1\r\nHost: ${servername}\r\n\r\n`);
  await new Promise((resolve) => socket.once("data", resolve));
  const session = socket.getSession();
  socket.destroy();
  return session;
}

const session = kind === "resumed" ? await newSession() : undefined;
let count = 0;
async function repeat(): Promise<void> {
  while (performance.now() < until) {
    (await shakeHands(session)).destroy();
    count++;
  }
}
await Promise.all(Array.from({ length: atOnce }, repeat));
console.log(count);
