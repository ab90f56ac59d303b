import type { Schemas } from "../../../sdk/client.ts";
import { signInMethods } from "./sign-in-methods.ts";

/** Why this page cannot use passkeys: by the service's options, since it has another URL, or by the browser. */
type PasskeyHindrance = "needsHttps" | "needsHostName" | "off" | "otherUrl" | "unsupported";

/** Why this page cannot use passkeys; undefined if it can. */
export function passkeyHindrance(): PasskeyHindrance | undefined {
  const { passkeys, origin } = signInMethods();
  if (passkeys !== "on") return passkeys;
  if (location.origin !== origin) return "otherUrl";
  return "PublicKeyCredential" in window ? undefined : "unsupported";
}

/** True for a passkey that signs in at this service: passkeys work here, and it belongs to the service's host. */
export function isUsableHere({ host }: Pick<Schemas["Passkey"], "host">): boolean {
  const { passkeys, origin } = signInMethods();
  return passkeys === "on" && host === new URL(origin).hostname;
}

/** Thrown when no passkey was used or created: the person or the browser refused, the device has one, or another call began. */
export class PasskeyError extends Error {
  override readonly name = "PasskeyError";
  readonly kind: "cancelled" | "present" | "replaced" | "failed";

  constructor(kind: PasskeyError["kind"], cause: unknown) {
    super(`The passkey was not used: ${kind}`, { cause });
    this.kind = kind;
  }
}

/** TABLE of what the browser's errors mean, by their names. */
const kinds: Record<string, PasskeyError["kind"]> = {
  NotAllowedError: "cancelled",
  InvalidStateError: "present",
  AbortError: "replaced",
};

/** Makes a new passkey with the browser. Throws PasskeyError. */
export async function createPasskey(options: Schemas["NewPasskeyOptions"]) {
  // Most pages use no passkey.
  const { startRegistration } = await import("@simplewebauthn/browser");
  const { id, response } = await startRegistration({ optionsJSON: options }).catch(asPasskeyError);
  const { clientDataJSON, attestationObject } = response;
  return { id, clientDataJSON, attestationObject };
}

/** How the person is asked for a passkey: by a dialog of the browser, or in the autofill of the e-mail field. */
export type PasskeyPrompt = "dialog" | "autofill";

/** The options of a sign-in, as the service returns them: see src/access/sign-in-by-passkey.ts. */
export type PasskeyOptions = { challenge: string; rpId: string; timeout: number; userVerification: "required" };

/**
 * Asks for one of the person's passkeys; ends an earlier call. Throws PasskeyError, "replaced" for an ended call and after
 * the signal was aborted.
 */
export async function askForPasskey(options: PasskeyOptions, prompt: PasskeyPrompt, signal?: AbortSignal) {
  const { startAuthentication, WebAuthnAbortService } = await import("@simplewebauthn/browser");
  // An aborted call must not begin late, and end a later one.
  if (signal?.aborted) throw new PasskeyError("replaced", signal.reason);
  const end = () => WebAuthnAbortService.cancelCeremony();
  signal?.addEventListener("abort", end);
  try {
    const asked = { optionsJSON: options, useBrowserAutofill: prompt === "autofill" };
    const { id, response } = await startAuthentication(asked).catch(asPasskeyError);
    const { clientDataJSON, authenticatorData, signature, userHandle = "" } = response;
    return { id, clientDataJSON, authenticatorData, signature, userHandle };
  } finally {
    signal?.removeEventListener("abort", end);
  }
}

/** True in browsers that offer passkeys in the autofill of a field. */
export async function canAutofillPasskeys(): Promise<boolean> {
  if (passkeyHindrance() !== undefined) return false;
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true;
}

function asPasskeyError(error: unknown): never {
  const name = error instanceof Error ? error.name : "";
  throw new PasskeyError(kinds[name] ?? "failed", error);
}
