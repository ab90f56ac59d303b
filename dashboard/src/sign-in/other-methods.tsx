import { signInMethods } from "../api/sign-in-methods.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button, buttonClass } from "../ui/button.tsx";

/** The ways to sign in besides a password, if the instance has any. */
export function OtherMethods({ next, onLink }: { next: string | undefined; onLink(): void }) {
  const { shell } = useTexts();
  const { hasPasswords, hasLinks, provider } = signInMethods();
  if (!hasLinks && provider === null) return null;
  return (
    <>
      {hasPasswords && (
        <p className="flex items-center gap-3 text-[13px] text-muted before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
          {shell.or}
        </p>
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
