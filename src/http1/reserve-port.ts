/**
 * Returns the port that redirect workers will share; a free one for 0. Listens on it exclusively for a moment and
 * throws when it is in use or the address is not this machine's: two services on one port would get each other's
 * visits.
 */
export function reservePort({ port, hostname }: { port: number; hostname: string }): number {
  const listener = Bun.listen({ port, hostname, exclusive: true, socket: { data() {} } });
  const reserved = listener.port;
  listener.stop(true);
  return reserved;
}
