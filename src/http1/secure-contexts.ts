import { createSecureContext } from "node:tls";
import { LruCache } from "../base/lru-cache.ts";
import type { Certificate } from "../certificates/certificate-source.ts";

/**
 * The cipher suites of TLS 1.2: with forward secrecy and authenticated encryption, as Mozilla's intermediate list. Clients
 * without any of them are older than TLS 1.3 and than any browser that is still updated.
 */
export const ciphers = [
  ...["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  ...["ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384"],
  ...["ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"],
].join(":");

/** Contexts kept: at least this many, and at most twice as many. Creating one takes 0.25 ms. */
const contextsMax = 1_000;

/** The runtime's native form of a certificate. Opaque: only the runtime reads it. */
type NativeContext = object;

/**
 * The native contexts of certificates, which handshakes use. A renewed certificate is a new object and gets a new
 * context, so that the next handshake uses it.
 */
export class SecureContexts {
  readonly #contexts = new LruCache<Certificate, NativeContext>(contextsMax);

  /** The context of a certificate; undefined for none. Throws when the runtime cannot read the certificate. */
  of(certificate: Certificate | undefined): NativeContext | undefined {
    if (certificate === undefined) return undefined;
    const known = this.#contexts.get(certificate);
    if (known !== undefined) return known;
    const { chain, privateKey } = certificate;
    const options = { cert: chain, key: privateKey, ciphers, minVersion: "TLSv1.2" } as const;
    const created: unknown = createSecureContext(options).context;
    if (typeof created !== "object" || created === null) throw new Error("The runtime's secure contexts have changed.");
    this.#contexts.set(certificate, created);
    return created;
  }
}
