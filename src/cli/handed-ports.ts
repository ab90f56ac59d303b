import type { HandedSocket } from "../base/handed-sockets.ts";
import type { Config } from "../config.ts";
import type { HandedDescriptors } from "../http1/ports.ts";
import { CliError } from "./cli-error.ts";
import { optionOf } from "./listen-error.ts";

const kinds = ["plain", "http", "https"] as const;

/**
 * Finds, by its port, the option of each socket that the service manager has handed over. Ports without a socket are
 * opened as usual.
 * Throws CliError when a socket cannot be used: visitors on it would wait for ever.
 */
export function matchHandedSockets(config: Config, sockets: readonly HandedSocket[]): HandedDescriptors {
  if (sockets.length > 0 && config.WAYPOST_WORKERS > 0) {
    throw new CliError(
      "WAYPOST_WORKERS: redirect workers cannot use the sockets that the service manager has opened. Set WAYPOST_WORKERS=0, or disable the socket unit: systemctl disable --now waypost.socket",
    );
  }
  const found: HandedDescriptors = {};
  for (const { fd, port } of sockets) {
    if (port === undefined) {
      throw new CliError(
        `The service manager hands over descriptor ${fd}, which is no listening TCP socket. In the socket unit, write ListenStream= with a port and leave Accept= out.`,
      );
    }
    const kind = kinds.find((each) => config[optionOf[each].name] === port);
    if (kind === undefined) {
      throw new CliError(
        `The service manager hands over a socket on port ${port}, which is the port of no option (${portsText(config)}). Change ListenStream= in the socket unit, or the option.`,
      );
    }
    if (found[kind] !== undefined) {
      throw new CliError(
        `The service manager hands over two sockets on port ${port}, and Waypost uses one. In the socket unit, write one ListenStream= for the port: ListenStream=${port} is for IPv4 and IPv6.`,
      );
    }
    found[kind] = fd;
  }
  return found;
}

function portsText(config: Config): string {
  return kinds
    .map((kind) => optionOf[kind].name)
    .map((name) => `${name}=${config[name] ?? ""}`)
    .join(", ");
}
