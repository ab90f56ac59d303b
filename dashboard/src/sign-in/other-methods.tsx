import { KeyRound } from "lucide-react";
import { signInMethods } from "../api/sign-in-methods.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { PasskeyNote } from "../ui/passkey-note.tsx";
import type { PasskeySignIn } from "./use-passkey-sign-in.ts";

type OtherMethodsProps = { next: string | undefined; passkey: PasskeySignIn; onLink(): void };

/** The ways to sign in besides a password, if the service has any. */
export function OtherMethods({ next, passkey, onLink }: OtherMethodsProps) {
  const { shell, passkeys } = useTexts();
  const { hasPasswords, hasLinks, provider } = signInMethods();
  if (!passkey.isAvailable && !hasLinks && provider === null) return null;
  return (
    <>
      {hasPasswords && (
        <p className="flex items-center gap-3 text-[13px] text-muted before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
          {shell.or}
        </p>
      )}
      <PasskeyNote error={passkey.error} />
      {passkey.isAvailable && (
        <Button isBusy={passkey.isBusy} onClick={passkey.signIn}>
          <KeyRound aria-hidden />
          {passkeys.signIn}
        </Button>
      )}
      {provider !== null && (
        // Not a page of the dashboard: the service redirects to the provider.
        <a
          href={`/app/oidc${next === undefined ? "" : `?${new URLSearchParams({ next })}`}`}
          className={buttonClass({ variant: hasPasswords ? "plain" : "primary" })}
        >
          {shell.continueWith(provider)}
        </a>
      )}
      {hasLinks && <Button onClick={onLink}>{shell.mailLink}</Button>}
    </>
  );
}
