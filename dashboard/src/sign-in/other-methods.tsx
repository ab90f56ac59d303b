import { signInMethods } from "../api/sign-in-methods.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";

/** The ways to sign in besides a password, if the instance has any. */
export function OtherMethods({ onLink }: { onLink(): void }) {
  const { shell } = useTexts();
  const { hasLinks } = signInMethods();
  if (!hasLinks) return null;
  return (
    <>
      <p className="flex items-center gap-3 text-[13px] text-muted before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
        {shell.or}
      </p>
      <Button onClick={onLink}>{shell.mailLink}</Button>
    </>
  );
}
