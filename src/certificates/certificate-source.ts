/** A certificate chain (leaf first) and its private key, as PEM texts. Immutable: a renewed certificate is a new object. */
export type Certificate = { chain: string; privateKey: string };

/** The certificates of a process, in memory. A handshake or a challenge never waits for the database. */
export type CertificateSource = {
  /** The certificate for a server name (lower case, without port); undefined when there is none. */
  find(serverName: string): Certificate | undefined;
  /** The certificate that answers a TLS-ALPN-01 challenge (RFC 8737) for a server name; undefined when none is pending. */
  findChallenge(serverName: string): Certificate | undefined;
  /** The response to an HTTP-01 challenge (RFC 8555, 8.3); undefined for an unknown token. */
  httpChallengeResponse(token: string): string | undefined;
};
