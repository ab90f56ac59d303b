import { useMutation } from "@tanstack/react-query";
import { LockKeyhole } from "lucide-react";
import { useState } from "react";
import { refusedFields } from "../api/problem.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Field, Input } from "../ui/field.tsx";
import type { SharedClient } from "./shared.ts";

/** Asks for the password of a shared page. */
export function PasswordForm({ client, onOpen }: { client: SharedClient; onOpen(): void }) {
  const { share } = useTexts();
  const [password, setPassword] = useState("");
  const opening = useMutation({ mutationFn: () => client.unlock(password), onSuccess: onOpen });
  const isWrong = refusedFields(opening.error).some(({ field }) => field === "password");
  return (
    <form
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        opening.mutate();
      }}
    >
      <div className="grid justify-items-center gap-3 text-center">
        <span className="grid size-12 place-items-center rounded-2xl border border-line bg-sunken text-faint">
          <LockKeyhole className="size-5" aria-hidden />
        </span>
        <div className="grid gap-1">
          <h1 className="text-base font-semibold tracking-tight">{share.locked}</h1>
          <p className="text-balance text-muted">{share.lockedHint}</p>
        </div>
      </div>
      <Field label={share.password} fieldError={isWrong ? share.wrongPassword : undefined}>
        <Input
          required
          autoFocus
          type="password"
          autoComplete="off"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      <ErrorNote error={opening.error} shownFields={["password"]} />
      <Button type="submit" variant="primary" isBusy={opening.isPending}>
        {share.unlock}
      </Button>
    </form>
  );
}
