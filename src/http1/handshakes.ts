/**
 * The TLS handshakes of a listener.
 *
 * 1. A handshake costs more than fifty redirects, so each network may begin a limited number per second. Trusted proxies
 *    carry many visitors each, so theirs are not limited.
 * 2. A client that does not finish its handshake within handshakeSecondsMax is closed.
 * 3. A name gets its own certificate or an alert, never the certificate of another name.
 * 4. While a TLS-ALPN-01 challenge is pending, its name has the challenge's certificate, and clients that offer other
 *    protocols get an alert: the runtime asks for the certificate before it shows what the client offers. HTTP-01, which
 *    is preferred where the HTTP port is in use, has no such gap.
 */
import type { Socket, SocketHandler } from "bun";
import type { Log } from "../base/log.ts";
import { networkOf } from "../base/network.ts";
import { secondMs } from "../base/time.ts";
import { TokenBuckets } from "../base/token-bucket.ts";
import type { CertificateSource } from "../certificates/certificate-source.ts";
import type { Connection } from "./connection.ts";
import { SecureContexts } from "./secure-contexts.ts";
import type { TlsSocketHandler } from "./tls-listener.ts";

/** How long a client may take for its handshake; the runtime checks every four seconds. */
export const handshakeSecondsMax = 8;
/** Handshakes that one network may begin: bursts of 500, as when an office opens, and 100 a second. */
const handshakesPerNetwork = { callsMax: 500, perMs: 5 * secondMs };
/** Networks whose handshakes are counted; at most twice as many. */
const networksMax = 10_000;

const http = "http/1.1";
const challengeProtocol = "acme-tls/1"; // RFC 8737

/** Where certificates come from, and which addresses are not limited. */
type HandshakesOptions = {
  log: Log;
  /** True for a trusted proxy. */
  isTrusted(address: string): boolean;
  /** The idle timeout of a connection whose handshake is done. */
  idleSeconds(): number;
  /** Monotonic time in milliseconds. */
  now(): number;
};

type EstablishedHandlers = SocketHandler<Connection> &
  Required<Pick<SocketHandler<Connection>, "open" | "timeout" | "end" | "close" | "error">>;

/** See the top of this file. */
export class Handshakes {
  readonly #options: HandshakesOptions;
  readonly #contexts = new SecureContexts();
  readonly #networks = new TokenBuckets(handshakesPerNetwork, networksMax);
  readonly #running = new Set<Socket<Connection>>();
  #certificates: CertificateSource | undefined;
  #refused = 0;

  constructor(options: HandshakesOptions) {
    this.#options = options;
  }

  /** Connections closed because their network began too many handshakes. */
  get refused(): number {
    return this.#refused;
  }

  /** Starts to finish handshakes; before, each gets an alert. */
  start(certificates: CertificateSource): void {
    this.#certificates = certificates;
  }

  /** Closes the connections that have not finished their handshake. */
  stop(): void {
    for (const client of this.#running) client.terminate();
  }

  /** True when the network of the address may begin a handshake. */
  tryBegin(address: string): boolean {
    const { isTrusted, now } = this.#options;
    if (isTrusted(address) || this.#networks.of(networkOf(address), now()).take(now())) return true;
    this.#refused++;
    return false;
  }

  /** The handlers of a listener with TLS; those given handle everything after the handshake. */
  handlers(established: EstablishedHandlers): TlsSocketHandler<Connection> {
    return {
      ...established,
      open: (client) => {
        this.#running.add(client);
        established.open(client);
        if (this.#running.has(client)) client.timeout(handshakeSecondsMax);
      },
      handshake: (client, isDone) => {
        this.#running.delete(client);
        // The runtime closes a connection whose handshake failed. One for a challenge has shown its certificate.
        if (isDone && client.alpnProtocol === challengeProtocol) client.end();
        else if (isDone) client.timeout(this.#options.idleSeconds());
      },
      timeout: (client) => {
        if (this.#running.has(client)) client.terminate();
        else established.timeout(client);
      },
      end: (client) => {
        if (this.#running.has(client)) client.terminate();
        else established.end(client);
      },
      close: (client) => {
        this.#running.delete(client);
        established.close(client);
      },
      error: (client, error) => {
        if (isTlsFailure(error)) client.terminate();
        else established.error(client, error);
      },
      serverName: (name) => this.#contextOf(name),
      chooseProtocol: (name, offered) => this.#protocolOf(name, offered),
    };
  }

  #contextOf(name: string): ReturnType<SecureContexts["of"]> {
    const certificates = this.#certificates;
    try {
      return this.#contexts.of(certificates?.findChallenge(name) ?? certificates?.find(name));
    } catch (error) {
      this.#options.log.error("A certificate cannot be used.", { domain: name, error });
      return undefined;
    }
  }

  #protocolOf(name: string, offered: readonly string[]): string | undefined {
    const expected = this.#certificates?.findChallenge(name) === undefined ? http : challengeProtocol;
    return offered.includes(expected) ? expected : undefined;
  }
}

/** True for bytes that are not TLS and for alerts of the client, which say nothing about the service. */
function isTlsFailure(error: Error): boolean {
  return "code" in error && error.code === "EPROTO";
}
