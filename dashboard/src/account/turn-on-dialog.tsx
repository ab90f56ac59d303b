import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { waypost } from "../api/waypost.ts";
import { useTexts } from "../texts/texts.tsx";
import { Code } from "../ui/code.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import { CurrentPassword } from "./current-password.tsx";
import { RecoveryCodesDialog } from "./recovery-codes-dialog.tsx";

/** Sets up one-time codes: the password, then the QR code and a first code, then the recovery codes. */
export function TurnOnDialog({ onClose }: { onClose(): void }) {
  const { security } = useTexts();
  const queries = useQueryClient();
  const [currentPassword, setCurrentPassword] = useState("");
  const [code, setCode] = useState("");
  const begin = useMutation({
    mutationFn: () => answerOf(waypost.POST("/user/one-time-codes", { body: { currentPassword } })),
  });
  const confirm = useMutation({
    mutationFn: () => answerOf(waypost.POST("/user/one-time-codes/confirm", { body: { code } })),
    // Workspaces that require two factors are open now.
    onSuccess: () => queries.invalidateQueries(),
  });
  const step = begin.data === undefined ? begin : confirm;
  return (
    <RecoveryCodesDialog
      codes={confirm.data?.recoveryCodes}
      onClose={onClose}
      title={security.turnOnTitle}
      action={begin.data === undefined ? security.next : security.turnOn}
      onSubmit={() => step.mutate()}
      isBusy={step.isPending}
      error={step.error}
      shownFields={["currentPassword", "code"]}
    >
      {begin.data === undefined ? (
        <>
          <p className="text-muted">{security.about}</p>
          <CurrentPassword value={currentPassword} onChange={setCurrentPassword} error={begin.error} />
        </>
      ) : (
        <ScanStep {...begin.data} code={code} onCode={setCode} error={confirm.error} />
      )}
    </RecoveryCodesDialog>
  );
}

type ScanProps = { qrCode: string; secret: string; code: string; onCode(code: string): void; error: unknown };

function ScanStep({ qrCode, secret, code, onCode, error }: ScanProps) {
  const { security } = useTexts();
  const fieldErrorOf = useFieldErrorOf();
  return (
    <>
      <p className="text-muted">{security.scan}</p>
      {/* White in every theme: scanners need the contrast. */}
      <img src={qrCode} alt={security.qrCode} className="mx-auto size-44 rounded-lg border border-line bg-white" />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
        <p className="text-[13px] text-muted">{security.typeIn}</p>
        <Code text={secret} label={security.key} copyLabel={security.copyKey} />
      </div>
      <Field label={security.code} hint={security.appCodeHint} fieldError={fieldErrorOf(error, "code")}>
        <Input
          required
          autoFocus
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={7}
          value={code}
          onChange={(event) => onCode(event.target.value)}
        />
      </Field>
    </>
  );
}
