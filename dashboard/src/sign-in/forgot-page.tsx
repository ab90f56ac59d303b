import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { requestPasswordReset } from "../api/session.ts";
import { signInMethods } from "../api/sign-in-methods.ts";
import { useTexts } from "../texts/texts.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { SignInLayout } from "./sign-in-layout.tsx";

/** Requests a mail with a link to set a new password. */
export function ForgotPage() {
  const { shell } = useTexts();
  const [email, setEmail] = useState("");
  const { hasPasswords, provider } = signInMethods();
  const request = useMutation({ mutationFn: () => requestPasswordReset(email) });
  const back = (
    <Link to="/sign-in" className="justify-self-center text-accent hover:underline">
      {shell.backToSignIn}
    </Link>
  );
  if (!hasPasswords) {
    return (
      <SignInLayout title={shell.noPasswords} about={shell.onlyProvider(provider ?? "")}>
        {back}
      </SignInLayout>
    );
  }
  return (
    <SignInLayout title={shell.forgotTitle} about={request.isSuccess ? undefined : shell.forgotHint}>
      {request.isSuccess ? (
        <p role="status">{shell.linkSent(email)}</p>
      ) : (
        <SignInForm
          email={email}
          onEmail={setEmail}
          action={shell.sendLink}
          onSubmit={() => request.mutate()}
          isBusy={request.isPending}
          error={request.error}
        />
      )}
      {back}
    </SignInLayout>
  );
}
