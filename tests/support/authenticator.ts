/** A software authenticator, as browsers and password managers have one, with one passkey. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** The page that asks for a passkey; tests of refusals give a wrong one. */
type Page = { origin: string; host: string };

/** What a ceremony may do wrong. */
type Ceremony = Partial<Page> & {
  isUserVerified?: boolean;
  /** The counter that the authenticator sends; without it, one more than the last. */
  counter?: number;
  /** The user of the passkey, if not the one for whom it was made. */
  userHandle?: string;
  /** An attestation that nobody asked for: its format, and its certificate in DER. */
  attestation?: { format: string; certificate: Buffer };
};

/** TABLE of the flags of authenticator data. */
const flags = { userPresent: 0x01, userVerified: 0x04, hasKey: 0x40 } as const;
const noAaguid = Buffer.alloc(16);

/** A new authenticator with a key that no server knows yet. */
export function newAuthenticator(page: Page) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const credentialId = randomBytes(16);
  const id = credentialId.toString("base64url");
  let counter = 0;
  let user = "";

  return {
    id,
    /** Answers navigator.credentials.create(), in base64url. */
    create(options: { challenge: string; user: { id: string } }, ceremony: Ceremony = {}) {
      user = options.user.id;
      const length = Buffer.from([0, credentialId.byteLength]);
      const key = Buffer.concat([noAaguid, length, credentialId, coseKey(publicKey)]);
      const authData = Buffer.concat([authenticatorData({ ...page, ...ceremony }, ceremony.counter ?? 0, true), key]);
      return {
        id,
        clientDataJSON: clientData("webauthn.create", options.challenge, { ...page, ...ceremony }).toString(
          "base64url",
        ),
        attestationObject: attestationObject(authData, ceremony.attestation).toString("base64url"),
      };
    },
    /** Answers navigator.credentials.get(), in base64url. */
    get(options: { challenge: string }, ceremony: Ceremony = {}) {
      counter = ceremony.counter ?? counter + 1;
      const data = authenticatorData({ ...page, ...ceremony }, counter, false);
      const client = clientData("webauthn.get", options.challenge, { ...page, ...ceremony });
      const signed = Buffer.concat([data, createHash("sha256").update(client).digest()]);
      return {
        id,
        clientDataJSON: client.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: sign("sha256", signed, privateKey).toString("base64url"),
        userHandle: ceremony.userHandle ?? user,
      };
    },
  };
}

function clientData(type: string, challenge: string, { origin }: Page): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function authenticatorData({ host, isUserVerified = true }: Page & Ceremony, counter: number, hasKey: boolean): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  const verified = isUserVerified ? flags.userVerified : 0;
  const flag = Buffer.from([flags.userPresent | verified | (hasKey ? flags.hasKey : 0)]);
  return Buffer.concat([createHash("sha256").update(host).digest(), flag, count]);
}

/** The COSE key of a P-256 key with SHA-256: a CBOR map of kind, algorithm, curve, x and y. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const coordinate = (text: string) => Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(text, "base64url")]);
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]);
  return Buffer.concat([head, Buffer.from([0x21]), coordinate(x), Buffer.from([0x22]), coordinate(y)]);
}

/** A CBOR map of fmt, attStmt and authData; without an attestation, fmt is "none" and attStmt is empty. */
function attestationObject(authData: Buffer, attestation: Ceremony["attestation"]): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
  const bytes = (value: Buffer) =>
    Buffer.concat([Buffer.from([0x59, value.byteLength >> 8, value.byteLength & 0xff]), value]);
  const statement =
    attestation === undefined
      ? Buffer.from([0xa0])
      : Buffer.concat([Buffer.from([0xa1]), text("x5c"), Buffer.from([0x81]), bytes(attestation.certificate)]);
  return Buffer.concat([
    ...[Buffer.from([0xa3]), text("fmt"), text(attestation?.format ?? "none"), text("attStmt"), statement],
    ...[text("authData"), bytes(authData)],
  ]);
}
