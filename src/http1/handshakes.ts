/**
 * The TLS handshakes of a listener.
 *
 * 1. A handshake costs more than fifty redirects, so each network may begin a limited number per second, and all
 *    networks together a larger one. Trusted proxies carry many visitors each, so theirs are not limited.
 * 2. A client that does not finish its handshake within handshakeSecondsMax is closed.
 * 3. A name gets its own certificate or an alert, never the certificate of another name.
 * 4. Each handshake that a network may begin is counted once, by its outcome.
 * 5. While a TLS-ALPN-01 challenge is pending, its name has the challenge's certificate, and clients that offer other
 *    protocols get an alert: the runtime asks for the certificate before it shows what the client offers. HTTP-01, which
 *    is preferred where the HTTP port is in use, has no such gap.
 */
import type { Socket, SocketHandler } from "bun";
import type { Log } from "../base/log.ts";
import { networkOf } from "../base/network.ts";
import { secondMs } from "../base/time.ts";
import { TokenBucket, TokenBuckets } from "../base/token-bucket.ts";
import type { CertificateSource } from "../certificates/certificate-source.ts";
import type { Connection } from "./connection.ts";
import { SecureContexts } from "./secure-contexts.ts";
import type { TlsSocketHandler } from "./tls-listener.ts";

/** How long a client may take for its handshake; the runtime checks every four seconds. */
export const handshakeSecondsMax = 8;
/** Handshakes that one network may begin: bursts of 500, as when an office opens, and 100 a second. */
const handshakesPerNetwork = { callsMax: 500, perMs: 5 * secondMs };
/**
 * Handshakes that all networks together may begin: bursts of 3,000, and 1,500 a second. New ones take 0.36 ms each, so
 * about half of a core is left for the visitors of open connections.
 */
const handshakesInAll = { callsMax: 3_000, perMs: 2 * secondMs };
/** Networks whose handshakes are counted; at most twice as many. */
const networksMax = 10_000;

const http = "http/1.1";
const challengeProtocol = "acme-tls/1"; // RFC 8737

/** Handshakes by outcome. */
export type HandshakeCounts = {
  done: number;
  /** A certificate authority has seen the certificate of its challenge. */
  challenge: number;
  /** The client asked for a name without a certificate. */
  unknownName: number;
  /** The client took too long. */
  timeout: number;
  /** The client sent no server name, no TLS or none that is spoken here, did not trust the certificate, or went away. */
  failed: number;
  /** Refused, because the client's network began too many. */
  refusedNetwork: number;
  /** Refused, because all networks together began too many. */
  refusedInAll: number;
};

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
  readonly #inAll: TokenBucket;
  /** The running handshakes, with the outcome that each has if it ends now. */
  readonly #running = new Map<Socket<Connection>, keyof HandshakeCounts>();
  readonly #counts: HandshakeCounts = {
    ...{ done: 0, challenge: 0, unknownName: 0, timeout: 0, failed: 0, refusedNetwork: 0, refusedInAll: 0 },
  };
  #certificates: CertificateSource | undefined;

  constructor(options: HandshakesOptions) {
    this.#options = options;
    this.#inAll = new TokenBucket(handshakesInAll, options.now());
  }

  /** Handshakes so far, by outcome. */
  get counts(): HandshakeCounts {
    return { ...this.#counts };
  }

  /** Connections closed because there were too many handshakes. */
  get refused(): number {
    return this.#counts.refusedNetwork + this.#counts.refusedInAll;
  }

  /** Starts to finish handshakes; before, each gets an alert. */
  start(certificates: CertificateSource): void {
    this.#certificates = certificates;
  }

  /** Closes the connections that have not finished their handshake. */
  stop(): void {
    for (const client of this.#running.keys()) client.terminate();
  }

  /** True when the network of the address may begin a handshake. */
  tryBegin(address: string): boolean {
    const { isTrusted, now } = this.#options;
    if (isTrusted(address)) return true;
    // A network beyond its own limit takes nothing from the others.
    if (!this.#networks.of(networkOf(address), now()).take(now())) {
      this.#counts.refusedNetwork++;
      return false;
    }
    if (this.#inAll.take(now())) return true;
    this.#counts.refusedInAll++;
    return false;
  }

  /** Watches the handshake of an accepted connection until it is done or closed. */
  begin(client: Socket<Connection>): void {
    this.#running.set(client, "failed");
    client.timeout(handshakeSecondsMax);
  }

  /** The handlers of a listener with TLS; those given handle everything after the handshake. */
  handlers(established: EstablishedHandlers): TlsSocketHandler<Connection> {
    return {
      ...established,
      handshake: (client, isDone) => {
        // The runtime closes a connection whose handshake failed, which then counts.
        if (!isDone) return;
        this.#running.delete(client);
        const isChallenge = client.alpnProtocol === challengeProtocol;
        this.#counts[isChallenge ? "challenge" : "done"]++;
        // A connection for a challenge has shown its certificate.
        if (isChallenge) client.end();
        else client.timeout(this.#options.idleSeconds());
      },
      timeout: (client) => {
        if (!this.#running.has(client)) return established.timeout(client);
        this.#running.set(client, "timeout");
        client.terminate();
      },
      end: (client) => {
        if (this.#running.has(client)) client.terminate();
        else established.end(client);
      },
      close: (client) => {
        const outcome = this.#running.get(client);
        if (outcome !== undefined) this.#counts[outcome]++;
        this.#running.delete(client);
        established.close(client);
      },
      error: (client, error) => {
        if (isTlsFailure(error)) client.terminate();
        else established.error(client, error);
      },
      serverName: (name, client) => {
        const context = this.#contextOf(name);
        if (context === undefined && this.#running.has(client)) this.#running.set(client, "unknownName");
        return context;
      },
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
