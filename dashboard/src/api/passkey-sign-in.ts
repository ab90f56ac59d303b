import { askForPasskey, type PasskeyOptions, type PasskeyPrompt } from "./passkeys.ts";
import { forgetUser, post } from "./session.ts";

/** Begins a sign-in with a passkey; the options work once, for five minutes. */
export async function beginPasskeySignIn(): Promise<PasskeyOptions> {
  return await post("/app/passkey/options", undefined);
}

/**
 * Signs in with a passkey, unless the signal is aborted before the person has chosen one. Throws PasskeyError if none was
 * used, and WaypostError for one that the service refuses.
 */
export async function signInWithPasskey(
  options: PasskeyOptions,
  prompt: PasskeyPrompt,
  signal?: AbortSignal,
): Promise<void> {
  const response = await askForPasskey(options, prompt, signal);
  forgetUser();
  await post("/app/passkey", response);
}
