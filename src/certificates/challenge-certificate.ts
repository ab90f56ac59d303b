import { createHash, webcrypto } from "node:crypto";
import {
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { dayMs } from "../base/time.ts";

/** id-pe-acmeIdentifier (RFC 8737, section 6.1). */
const acmeIdentifier = "1.3.6.1.5.5.7.1.31";
/** The head of a DER octet string of 32 bytes. */
const octetStringHead = [0x04, 32];
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/**
 * Makes the certificate that answers a TLS-ALPN-01 challenge: self-signed, for the name, with the digest of the key
 * authorization. The one that acme-client makes lacks the key usage for signatures, so BoringSSL, and thus Bun, refuses
 * to serve it.
 * Returns PEM texts.
 */
export async function makeChallengeCertificate(
  name: string,
  keyAuthorization: string,
): Promise<{ chain: string; privateKey: string }> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const digest = createHash("sha256").update(keyAuthorization).digest();
  const now = Date.now();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name.slice(0, commonNameCharactersMax)}`,
    // A clock that is a little behind must not refuse it.
    notBefore: new Date(now - dayMs),
    notAfter: new Date(now + dayMs),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new SubjectAlternativeNameExtension([{ type: "dns", value: name }]),
      new Extension(acmeIdentifier, true, Uint8Array.from([...octetStringHead, ...digest])),
    ],
  });
  const exported = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { chain: certificate.toString("pem"), privateKey: PemConverter.encode(exported, "PRIVATE KEY") };
}

const commonNameCharactersMax = 64; // RFC 5280, appendix A.1
