/** Encryption of backups in the age format (https://age-encryption.org/v1), which the program `age` also reads. */
import { readFileSync } from "node:fs";
import { Decrypter, Encrypter } from "age-encryption";
import { messageOf } from "../base/message-of.ts";
import { Problem } from "../base/problem.ts";

/** How a backup is encrypted: to recipients such as `age1…`, with a passphrase, or not at all. */
export type Encryption =
  | { kind: "none" }
  | { kind: "recipients"; recipients: readonly string[] }
  | { kind: "passphrase"; passphrase: string };

/** What opens an encrypted backup. */
export type Keys = { identities: readonly string[]; passphrase: string | undefined };

const ageHeader = Buffer.from("age-encryption.org/v1\n");

/** Encrypts a stream. Throws "unprocessable_entity" for an invalid recipient. */
export async function encrypt(
  bytes: ReadableStream<Uint8Array>,
  encryption: Encryption,
): Promise<ReadableStream<Uint8Array>> {
  if (encryption.kind === "none") return bytes;
  const encrypter = new Encrypter();
  if (encryption.kind === "passphrase") encrypter.setPassphrase(encryption.passphrase);
  else for (const recipient of encryption.recipients) addRecipient(encrypter, recipient);
  return await encrypter.encrypt(bytes);
}

/** Throws "unprocessable_entity" unless `recipient` is a public key of age. */
export function requireRecipient(recipient: string): void {
  addRecipient(new Encrypter(), recipient);
}

function addRecipient(encrypter: Encrypter, recipient: string): void {
  try {
    encrypter.addRecipient(recipient);
  } catch (cause) {
    throw new Problem("unprocessable_entity", `"${recipient}" is not a recipient such as age1….`, { cause });
  }
}

/**
 * Decrypts a backup if it is encrypted. Throws "unprocessable_entity" when a key is missing or wrong.
 */
export async function decrypt(bytes: ReadableStream<Uint8Array>, keys: Keys): Promise<ReadableStream<Uint8Array>> {
  const { first, all } = await peek(bytes);
  if (!first.subarray(0, ageHeader.length).equals(ageHeader)) return all;
  if (keys.identities.length === 0 && keys.passphrase === undefined) {
    throw new Problem(
      "unprocessable_entity",
      "The backup is encrypted. Give its key with --identity-file, or its passphrase with --passphrase-file.",
    );
  }
  const decrypter = new Decrypter();
  if (keys.passphrase !== undefined) decrypter.addPassphrase(keys.passphrase);
  try {
    for (const identity of keys.identities) decrypter.addIdentity(identity);
    return await decrypter.decrypt(all);
  } catch (cause) {
    throw new Problem("unprocessable_entity", `The key or passphrase does not open the backup (${messageOf(cause)}).`, {
      cause,
    });
  }
}

/** Reads a file's text without the line break at its end. Throws "unprocessable_entity" when it cannot be read. */
export function readSecretFile(path: string): string {
  try {
    const text = readFileSync(path, "utf8").trimEnd();
    if (text !== "") return text;
  } catch (cause) {
    throw new Problem("unprocessable_entity", `${path} cannot be read (${messageOf(cause)}).`, { cause });
  }
  throw new Problem("unprocessable_entity", `${path} is empty.`);
}

/** The identities in a key file of age, which may have comments. */
export function identitiesOf(text: string): string[] {
  return text.split("\n").flatMap((line) => (/^AGE-/.test(line.trim()) ? [line.trim()] : []));
}

/** The beginning of a stream, at least as long as the header if the stream is, and the whole stream. */
async function peek(bytes: ReadableStream<Uint8Array>) {
  const reader = bytes.getReader();
  let first = Buffer.alloc(0);
  while (first.length < ageHeader.length) {
    const { done, value } = await reader.read();
    if (done) break;
    first = Buffer.concat([first, value]);
  }
  let isFirst = true;
  const all = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (isFirst) {
        isFirst = false;
        if (first.length > 0) return controller.enqueue(new Uint8Array(first));
      }
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { first, all };
}
