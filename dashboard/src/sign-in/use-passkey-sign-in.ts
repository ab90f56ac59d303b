import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { beginPasskeySignIn, signInWithPasskey } from "../api/passkey-sign-in.ts";
import { canAutofillPasskeys, PasskeyError, passkeyHindrance } from "../api/passkeys.ts";

/** A challenge ends after five minutes; an open page gets a new one before. */
const renewAfterMs = 4 * 60_000;
const checkEveryMs = 30_000;

/** The sign-in with a passkey, as the page shows it. */
export type PasskeySignIn = { isAvailable: boolean; isBusy: boolean; error: unknown; signIn(): void };

type Options = {
  /** False while the page asks for something else. */
  isOffered: boolean;
  onSignedIn(): unknown;
};

/** Signs in with a passkey by a button, and in the autofill of the e-mail field in browsers that offer it there. */
export function usePasskeySignIn({ isOffered, onSignedIn }: Options): PasskeySignIn {
  const isAvailable = passkeyHindrance() === undefined;
  const [autofillError, setAutofillError] = useState<unknown>(null);
  const attempt = useMutation({
    mutationFn: async () => signInWithPasskey(await beginPasskeySignIn(), "dialog"),
    onMutate: () => setAutofillError(null),
    onSuccess: onSignedIn,
  });
  const latest = useRef(onSignedIn);
  useEffect(() => {
    latest.current = onSignedIn;
  });
  const isAutofilling = isAvailable && isOffered && !attempt.isPending && !attempt.isSuccess;
  useEffect(() => {
    if (!isAutofilling) return;
    return offerInAutofill(() => latest.current(), setAutofillError);
  }, [isAutofilling]);
  return {
    isAvailable,
    isBusy: attempt.isPending,
    error: attempt.error ?? autofillError,
    signIn: () => attempt.mutate(),
  };
}

/** Offers passkeys in the autofill until one has signed in, or the returned function is called. */
function offerInAutofill(onSignedIn: () => void, onRefused: (error: unknown) => void): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let askedAt = 0;
  async function ask(): Promise<void> {
    askedAt = Date.now();
    if (!(await canAutofillPasskeys())) return;
    // Nobody has asked for a passkey yet, so a failure is not shown; the page tries again later.
    const options = await beginPasskeySignIn().catch(() => undefined);
    if (options === undefined || signal.aborted) return;
    try {
      await signInWithPasskey(options, "autofill", signal);
      ending.abort();
      onSignedIn();
    } catch (error) {
      // Nothing was refused: the person chose nothing, or the browser ended the offer.
      if (!signal.aborted && !(error instanceof PasskeyError)) onRefused(error);
    }
  }
  function askAgain(): void {
    if (Date.now() - askedAt >= renewAfterMs && document.visibilityState === "visible") void ask();
  }
  const timer = setInterval(askAgain, checkEveryMs);
  signal.addEventListener("abort", () => clearInterval(timer));
  document.addEventListener("visibilitychange", askAgain, { signal });
  void ask();
  return () => ending.abort();
}
