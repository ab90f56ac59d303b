/**
 * Checks of what an authenticator returns: challenge, origin, host, user presence and verification, and the signature.
 *
 * 1. The user must have been verified, by a PIN, a fingerprint or a face: a passkey replaces the password and the code.
 * 2. No attestation is asked for, so any authenticator may hold a passkey. One that a client sends is removed unread: the
 *    library would request the URL of a revocation list that its certificate names, from any address and without limits.
 * 3. Counters are left to the caller, who compares them with the stored one while nobody else can change it.
 * 4. The library is loaded with the first passkey, since most processes check none.
 */
import { z } from "zod";
import { messageOf } from "../base/message-of.ts";
import type { PasskeySite } from "./passkey-site.ts";

/** What a browser returns for a new passkey, in base64url. */
export type NewPasskeyResponse = { id: string; clientDataJSON: string; attestationObject: string };
/** What a browser returns for a sign-in, in base64url. */
export type PasskeyResponse = {
  id: string;
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  /** The id of the user, as the authenticator stored it with the passkey. */
  userHandle: string;
};

/** The public part of a passkey: its id and COSE key in base64url, and the authenticator's counter. */
type Credential = { credentialId: string; publicKey: string; counter: number };

/** A refused response, with the reason for the log. */
type Refused = { kind: "refused"; reason: string };

type Expected = { site: Extract<PasskeySite, { kind: "on" }>; challenge: string };

/** The kinds of keys that are accepted, as COSE algorithms, the preferred first: Ed25519, P-256 and RSA, all with SHA-256. */
export const keyAlgorithms = [-8, -7, -257] as const;
/** Characters of a stored key: an RSA key of 8192 bits has about 1,400. */
const publicKeyCharactersMax = 2_000;

const ClientData = z.object({ challenge: z.string() });

/** The challenge that a response signs; undefined for a malformed response. */
export function challengeOf(clientDataJSON: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString());
    return ClientData.safeParse(parsed).data?.challenge;
  } catch {
    // Not JSON: the documented result.
    return undefined;
  }
}

/** The text in which authenticators store and return the id of a user. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId).toString("base64url");
}

/** Checks the response for a new passkey. */
export async function checkNewPasskey(
  { site, challenge }: Expected,
  { id, clientDataJSON, attestationObject }: NewPasskeyResponse,
): Promise<{ kind: "valid"; credential: Credential } | Refused> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
        response: { clientDataJSON, attestationObject: await withoutAttestation(attestationObject) },
      },
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...keyAlgorithms],
    });
    if (!verified) return { kind: "refused", reason: "The response could not be verified." };
    const { id: credentialId, publicKey, counter } = registrationInfo.credential;
    const key = Buffer.from(publicKey).toString("base64url");
    // The browser names the id, and the authenticator signs another at will.
    if (credentialId !== id) return { kind: "refused", reason: "The id of the passkey is another one." };
    if (key.length > publicKeyCharactersMax) return { kind: "refused", reason: "The key is too long." };
    return { kind: "valid", credential: { credentialId, publicKey: key, counter } };
  } catch (error) {
    return { kind: "refused", reason: messageOf(error) };
  }
}

/** The attestation object without its attestation. Throws for one that is malformed. */
async function withoutAttestation(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = await import("@simplewebauthn/server/helpers");
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)).get("authData");
  const parts = new Map<string, Parameters<typeof isoCBOR.encode>[0]>();
  parts.set("fmt", "none").set("attStmt", new Map()).set("authData", authData);
  return isoBase64URL.fromBuffer(isoCBOR.encode(parts));
}

/** Checks the response for a sign-in with this passkey, and returns the authenticator's counter. */
export async function checkPasskey(
  { site, challenge }: Expected,
  { credentialId, publicKey }: Pick<Credential, "credentialId" | "publicKey">,
  { id, clientDataJSON, authenticatorData, signature, userHandle }: PasskeyResponse,
): Promise<{ kind: "valid"; counter: number } | Refused> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
        response: { clientDataJSON, authenticatorData, signature, userHandle },
      },
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      requireUserVerification: true,
      // The library would refuse a counter before it checks the signature, which anyone could then provoke.
      credential: { id: credentialId, publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")), counter: 0 },
    });
    if (!verified) return { kind: "refused", reason: "The signature is wrong." };
    return { kind: "valid", counter: authenticationInfo.newCounter };
  } catch (error) {
    return { kind: "refused", reason: messageOf(error) };
  }
}
