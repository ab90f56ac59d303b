import { readFileSync, readlinkSync } from "node:fs";

/** The first descriptor that a service manager hands over. */
const firstDescriptor = 3;

/** A descriptor that a service manager has handed over, with the port of a listening TCP socket; else undefined. */
export type HandedSocket = { fd: number; port: number | undefined };

/**
 * The sockets that a service manager, such as systemd, has opened for this process: sd_listen_fds(3). Other processes
 * may inherit the variables, which are not meant for them.
 */
export function handedSockets(environment: Record<string, string | undefined> = process.env): HandedSocket[] {
  if (environment["LISTEN_PID"] !== String(process.pid)) return [];
  const ports = listeningPorts();
  return Array.from({ length: Number(environment["LISTEN_FDS"]) }, (_, index) => {
    const fd = firstDescriptor + index;
    return { fd, port: ports.get(targetOf(fd)) };
  });
}

/** What a descriptor refers to, such as "socket:[4711]". */
function targetOf(fd: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return "";
  }
}

/** The ports of the listening TCP sockets of the system, by what their descriptors refer to. */
function listeningPorts(): Map<string, number> {
  const rows = ["/proc/self/net/tcp", "/proc/self/net/tcp6"].flatMap((path) => textOf(path).split("\n"));
  return new Map(rows.flatMap(listeningPort));
}

/** The port in a row of a listening socket (proc_pid_net(5)); nothing for other rows. */
function listeningPort(row: string): [string, number][] {
  const [, address = "", , state, , , , , , inode] = row.trim().split(/\s+/);
  const listening = "0A";
  return state === listening ? [[`socket:[${inode}]`, Number.parseInt(address.slice(-4), 16)]] : [];
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // A kernel without IPv6 has no tcp6.
    return "";
  }
}
