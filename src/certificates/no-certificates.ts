import type { CertificateSource } from "./certificate-source.ts";

/** A source without certificates: each handshake gets an alert. */
export const noCertificates: CertificateSource = {
  find: () => undefined,
  findChallenge: () => undefined,
  httpChallengeResponse: () => undefined,
};
