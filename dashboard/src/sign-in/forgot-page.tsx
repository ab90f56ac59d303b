import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { askForPassword } from "../api/session.ts";
import { useTexts } from "../texts/texts.tsx";
import { Entrance } from "./entrance.tsx";
import { EntranceForm } from "./entrance-form.tsx";

/** Asks for an e-mail, and has a link sent there by which a new password is set. */
export function ForgotPage() {
  const { shell } = useTexts();
  const [email, setEmail] = useState("");
  const request = useMutation({ mutationFn: () => askForPassword(email) });
  return (
    <Entrance title={shell.forgotTitle} about={request.isSuccess ? undefined : shell.forgotHint}>
      {request.isSuccess ? (
        <p role="status">{shell.linkSent(email)}</p>
      ) : (
        <EntranceForm
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
    </Entrance>
  );
}
