import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { requestPasswordReset } from "../api/session.ts";
import { useTexts } from "../texts/texts.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { SignInLayout } from "./sign-in-layout.tsx";

/** Requests a mail with a link to set a new password. */
export function ForgotPage() {
  const { shell } = useTexts();
  const [email, setEmail] = useState("");
  const request = useMutation({ mutationFn: () => requestPasswordReset(email) });
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
      <Link to="/sign-in" className="justify-self-center text-accent hover:underline">
        {shell.backToSignIn}
      </Link>
    </SignInLayout>
  );
}
