/**
 * The port that redirect workers are to share: a free one for 0. Listens on it alone for a moment, and throws when it is
 * taken or the address is none of this machine's: of two services that share a port, each would get the other's visits.
 */
export function reservePort({ port, hostname }: { port: number; hostname: string }): number {
  const listener = Bun.listen({ port, hostname, exclusive: true, socket: { data() {} } });
  const reserved = listener.port;
  listener.stop(true);
  return reserved;
}
