import { useState } from "react";
import type { Schemas } from "../../../sdk/client.ts";
import { useTexts } from "../texts/texts.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { useBlocking } from "./use-blocking.ts";

/** The kinds of objects that can be blocked. */
type BlockKind = Schemas["AdministeredBlock"]["kind"];

type BlockDialogProps = { kind: BlockKind; target: string; name: string; onClose(): void };

/** Asks for the reason, then blocks an object of a list. */
export function BlockDialog({ kind, target, name, onClose }: BlockDialogProps) {
  const { administration } = useTexts();
  const fieldErrorOf = useFieldErrorOf();
  const [reason, setReason] = useState("");
  const blocking = useBlocking({ kind, target, reason }, name, onClose);
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={administration.blockTitle(name)}
      about={kind === "user" ? administration.blockUserAbout : administration.blockAbout}
      action={administration.block}
      onSubmit={() => blocking.mutate(undefined)}
      isBusy={blocking.isPending}
      error={blocking.error}
      shownFields={["reason"]}
    >
      <Field
        label={administration.reason}
        hint={administration.reasonHint}
        fieldError={fieldErrorOf(blocking.error, "reason")}
      >
        <Input required maxLength={1_000} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
