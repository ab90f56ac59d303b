import { openPorts, type Ports } from "./ports.ts";

/**
 * Returns the ports that redirect workers will share; a free one for 0. Listens on them exclusively for a moment and
 * throws PortError when one is in use or the address is not this machine's: two services on one port would get each
 * other's visits.
 */
export function reservePorts(wanted: Ports & { hostname: string }): Ports {
  const { hostname } = wanted;
  const { ports, listeners } = openPorts(wanted, (_, port) =>
    Bun.listen({ port, hostname, exclusive: true, socket: { data() {} } }),
  );
  for (const listener of listeners) listener.stop(true);
  return ports;
}
