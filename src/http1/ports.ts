import type { TCPSocketListener } from "bun";
import type { PortKind } from "../redirects/redirect-request.ts";

/** The ports of a service; each is 0 for any free one. */
export type Ports = {
  port: number;
  /** Where visitors without TLS arrive once the service ends TLS itself; undefined for none. */
  httpPort?: number | undefined;
  /** The port with TLS; undefined for none. */
  httpsPort?: number | undefined;
};

/** The descriptors of listening sockets that the service manager has opened. */
export type HandedDescriptors = Partial<Record<PortKind, number>>;

/** A port that cannot be opened; `cause` says why. */
export class PortError extends Error {
  readonly kind: PortKind;
  readonly port: number;

  constructor(kind: PortKind, port: number, cause: unknown) {
    super(`The ${kind} port ${port} cannot be opened.`, { cause });
    this.kind = kind;
    this.port = port;
  }
}

/** Opens the ports that are set; when one fails, closes the others again and throws PortError. */
export function openPorts<Data>(
  wanted: Ports,
  open: (kind: PortKind, port: number) => TCPSocketListener<Data>,
): { ports: Ports; listeners: TCPSocketListener<Data>[] } {
  const listeners: TCPSocketListener<Data>[] = [];
  const openOne = (kind: PortKind, port: number): number => {
    try {
      const listener = open(kind, port);
      listeners.push(listener);
      // A listener on a socket that was handed over does not know its port.
      return port === 0 ? listener.port : port;
    } catch (error) {
      for (const listener of listeners) listener.stop(true);
      throw new PortError(kind, port, error);
    }
  };
  const { port, httpPort, httpsPort } = wanted;
  const ports: Ports = {
    port: openOne("plain", port),
    httpPort: httpPort === undefined ? undefined : openOne("http", httpPort),
    httpsPort: httpsPort === undefined ? undefined : openOne("https", httpsPort),
  };
  return { ports, listeners };
}

/** The ports as one argument of a child process. */
export function portsArgument({ port, httpPort, httpsPort }: Ports): string {
  return [port, httpPort ?? "", httpsPort ?? ""].join(",");
}

/** The ports in the argument of a child process. */
export function portsOf(argument: string | undefined): Ports {
  const [port = "", httpPort = "", httpsPort = ""] = (argument ?? "").split(",");
  if (port === "") throw new Error("A child process needs its ports.");
  return { port: Number(port), httpPort: portOf(httpPort), httpsPort: portOf(httpsPort) };
}

function portOf(text: string): number | undefined {
  return text === "" ? undefined : Number(text);
}
