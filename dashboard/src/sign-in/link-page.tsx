import { useMutation } from "@tanstack/react-query";
import { requestMagicLink } from "../api/session.ts";
import { signInMethods } from "../api/sign-in-methods.ts";
import { useTexts } from "../texts/texts.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { SignInLayout } from "./sign-in-layout.tsx";

type LinkPageProps = {
  email: string;
  onEmail(email: string): void;
  /** The path below /app to open after signing in. */
  next: string | undefined;
  onCancel(): void;
};

/** Requests a mail with a link that signs in. */
export function LinkPage({ email, onEmail, next, onCancel }: LinkPageProps) {
  const { shell } = useTexts();
  const { linkLifeMinutes } = signInMethods();
  const request = useMutation({ mutationFn: () => requestMagicLink(email, next) });
  return (
    <SignInLayout title={shell.linkTitle} about={request.isSuccess ? undefined : shell.linkHint}>
      {request.isSuccess ? (
        <p role="status">{shell.signInLinkSent(email, linkLifeMinutes)}</p>
      ) : (
        <SignInForm
          email={email}
          onEmail={onEmail}
          action={shell.sendLink}
          onSubmit={() => request.mutate()}
          isBusy={request.isPending}
          error={request.error}
        />
      )}
      <button type="button" className="justify-self-center text-accent hover:underline" onClick={onCancel}>
        {shell.backToSignIn}
      </button>
    </SignInLayout>
  );
}
