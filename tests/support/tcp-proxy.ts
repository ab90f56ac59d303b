import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A proxy to a server on loopback that can stop forwarding, like a network that drops packets. */
export type TcpProxy = {
  port: number;
  /** Stops forwarding. Connections stay open. */
  hold(): void;
  /** Forwards the held bytes, and all later ones. */
  release(): void;
  /** Forwards nothing more of the open connections, as after a power loss of the server; later ones work. */
  silence(): void;
  close(): void;
};

/** Opens a proxy to `port` on loopback that listens at `host`. */
export async function openTcpProxy(port: number, host = "127.0.0.1"): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isHeld = false;
  const server = createServer((client) => {
    const upstream = connect({ port, host: "127.0.0.1" });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => to.write(bytes));
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      if (isHeld) from.pause();
    }
  });
  server.listen(0, host);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port.");
  return {
    port: address.port,
    hold() {
      isHeld = true;
      for (const socket of sockets) socket.pause();
    },
    release() {
      isHeld = false;
      for (const socket of sockets) socket.resume();
    },
    silence() {
      for (const socket of sockets) socket.removeAllListeners("data").pause();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
