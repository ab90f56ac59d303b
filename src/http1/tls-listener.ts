/**
 * Listens with TLS on a native socket, so that its bytes run through the same reader as those of a plain connection.
 * node:tls can choose a certificate by name too, but only with streams, which cost more than the rest of a redirect.
 * See decision 0015.
 */
import type { Socket, SocketHandler, TCPSocketListener, TLSOptions } from "bun";
import { ciphers, type SecureContexts } from "./secure-contexts.ts";

/** What a listener with TLS does in addition to the runtime's handlers. */
export type TlsSocketHandler<Data> = SocketHandler<Data> & {
  /** The native context of the certificate for a server name; undefined ends the handshake with an alert. */
  serverName(name: string, client: Socket<Data>): ReturnType<SecureContexts["of"]>;
  /** The protocol to use among those that the client offers; undefined ends the handshake with an alert. */
  chooseProtocol(serverName: string, offered: readonly string[]): string | undefined;
};

/**
 * Two handlers that bun-types does not declare; Bun's own node:tls passes them to the same listener. `serverName`
 * returns the native part of a secure context. `alpnCallback` gets the protocols as the client has sent them.
 * tests/tls.test.ts shows when a new Bun calls them in another way.
 */
type UndeclaredHandlers<Data> = {
  serverName(
    listenerData: unknown,
    name: string,
    socket: Socket<Data>,
  ): ReturnType<TlsSocketHandler<Data>["serverName"]>;
  alpnCallback(socket: Socket<Data>, serverName: string, offered: Uint8Array): string | undefined;
};

/** TLS 1.2, which is older than any browser in use; bun-types does not declare the option either. */
const tlsOptions: TLSOptions & { minVersion: number } = { minVersion: 0x03_03, ciphers };

/**
 * Where to listen. With `fd`, which bun-types does not declare, on that listening socket: closing the listener leaves the
 * socket, and the connections that wait in it, to the process that has opened it.
 */
export type ListenAddress = {
  port: number;
  hostname: string;
  reusePort?: boolean;
  exclusive?: boolean;
  fd?: number;
};

/**
 * Listens with TLS 1.2 and 1.3. The listener itself has no certificate: a client that sends no server name, or an
 * unknown one, gets an alert and learns nothing.
 * Throws when the port is in use or the address is not this machine's.
 */
export function listenTls<Data>(
  options: ListenAddress,
  { serverName, chooseProtocol, ...handlers }: TlsSocketHandler<Data>,
): TCPSocketListener<Data> {
  const socket: SocketHandler<Data> & UndeclaredHandlers<Data> = {
    ...handlers,
    serverName: (_, name, client) => serverName(name.toLowerCase(), client),
    alpnCallback: (_, name, offered) => chooseProtocol(name.toLowerCase(), protocolsOf(offered)),
  };
  return Bun.listen<Data>({ ...options, allowHalfOpen: true, tls: tlsOptions, socket });
}

/** The names in a list of protocols (RFC 7301, 3.1): each follows a byte with its length. */
function protocolsOf(offered: Uint8Array): string[] {
  const names: string[] = [];
  const bytes = Buffer.from(offered);
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + (bytes[at] ?? 0);
    names.push(bytes.toString("latin1", at + 1, end));
    at = end;
  }
  return names;
}
