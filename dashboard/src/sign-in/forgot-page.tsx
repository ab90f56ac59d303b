import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { askForPassword } from "../api/session.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Field, Input } from "../ui/field.tsx";
import { Entrance } from "./entrance.tsx";

export function ForgotPage() {
  const { shell } = useTexts();
  const [email, setEmail] = useState("");
  const request = useMutation({ mutationFn: () => askForPassword(email) });
  return (
    <Entrance title={shell.forgotTitle} about={request.isSuccess ? undefined : shell.forgotHint}>
      {request.isSuccess ? (
        <p role="status">{shell.linkSent(email)}</p>
      ) : (
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            request.mutate();
          }}
        >
          <Field label={shell.email}>
            <Input
              type="email"
              autoComplete="username"
              required
              autoFocus
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          </Field>
          <ErrorNote error={request.error} />
          <Button type="submit" look="primary" isBusy={request.isPending}>
            {shell.sendLink}
          </Button>
        </form>
      )}
      <Link to="/sign-in" className="justify-self-center text-accent hover:underline">
        {shell.backToSignIn}
      </Link>
    </Entrance>
  );
}
