import { createSecureContext } from "node:tls";
import { LruCache } from "../base/lru-cache.ts";
import type { Certificate } from "../certificates/certificate-source.ts";

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
    const created: unknown = createSecureContext({ cert: chain, key: privateKey, minVersion: "TLSv1.2" }).context;
    if (typeof created !== "object" || created === null) throw new Error("The runtime's secure contexts have changed.");
    this.#contexts.set(certificate, created);
    return created;
  }
}
