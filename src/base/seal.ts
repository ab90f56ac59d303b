/**
 * Encrypts texts that are stored, such as private keys, with a key derived from a secret.
 *
 * 1. AES-256-GCM with a random nonce of 96 bits. One key seals far fewer texts than the 2^32 after which nonces may
 *    repeat.
 * 2. HKDF derives one key for each purpose, so that a text sealed for one purpose cannot be opened for another.
 * 3. The identity of the row is authenticated too, so that a sealed text cannot be moved to another row.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
/** The version of the format, so that a later one can still open these texts. */
const prefix = "v1.";

/** Seals and opens texts for one purpose. */
export type Seal = {
  /** Returns the encrypted text; `identity` names the row and column that hold it. */
  seal(text: string, identity: string): string;
  /** Returns the text; undefined if it was sealed with another secret, purpose or identity, or is damaged. */
  open(sealed: string, identity: string): string | undefined;
};

/** Derives the key of a purpose from the secret. Another version of the program must use the same purpose. */
export function openSeal(secret: string, purpose: string): Seal {
  const key = Buffer.from(hkdfSync("sha256", secret, "waypost", purpose, keyBytes));
  return {
    seal(text, identity) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce);
      cipher.setAAD(Buffer.from(identity));
      const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return prefix + Buffer.concat([nonce, encrypted, cipher.getAuthTag()]).toString("base64url");
    },
    open(sealed, identity) {
      const bytes = Buffer.from(sealed.slice(prefix.length), "base64url");
      if (!sealed.startsWith(prefix) || bytes.byteLength < nonceBytes + tagBytes) return undefined;
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes));
      decipher.setAAD(Buffer.from(identity));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      const encrypted = bytes.subarray(nonceBytes, -tagBytes);
      try {
        return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString("utf8");
      } catch {
        // The tag does not match: the documented result.
        return undefined;
      }
    },
  };
}
