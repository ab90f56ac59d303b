import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { oneTimeCodesKey, useOneTimeCodes } from "../api/user.ts";
import { waypost } from "../api/waypost.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Skeleton } from "../ui/states.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { CurrentPassword } from "./current-password.tsx";
import { RecoveryCodesDialog } from "./recovery-codes-dialog.tsx";
import { TurnOnDialog } from "./turn-on-dialog.tsx";

/** Turns one-time codes on and off, and replaces the recovery codes. */
export function TwoFactorCard() {
  const { security } = useTexts();
  const format = useFormat();
  const { data, error, refetch } = useOneTimeCodes();
  const [open, setOpen] = useState<"on" | "off" | "renew">();
  const close = () => setOpen(undefined);
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-2">
          {security.title}
          {data && <Badge tone={data.isOn ? "success" : "neutral"}>{data.isOn ? security.on : security.off}</Badge>}
        </span>
      }
      about={security.about}
      aside={
        data?.isOn === false && (
          <Button variant="primary" onClick={() => setOpen("on")}>
            {security.turnOn}
          </Button>
        )
      }
    >
      {data === undefined && (
        <div className="p-4 sm:px-5">
          {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton className="h-9" />}
        </div>
      )}
      {data?.isOn === true && (
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 p-4 sm:px-5">
          <p className="text-muted">
            {security.since(format.day(data.since ?? ""))} ·{" "}
            {security.codesLeft(data.recoveryCodesLeft, format.number(data.recoveryCodesLeft))}
          </p>
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => setOpen("renew")}>{security.renew}</Button>
            <Button onClick={() => setOpen("off")}>{security.turnOff}</Button>
          </div>
        </div>
      )}
      {open === "on" && <TurnOnDialog onClose={close} />}
      {open === "off" && <TurnOffDialog onClose={close} />}
      {open === "renew" && <RenewDialog onClose={close} />}
    </Card>
  );
}

function TurnOffDialog({ onClose }: { onClose(): void }) {
  const { security } = useTexts();
  const notify = useNotify();
  const queries = useQueryClient();
  const [currentPassword, setCurrentPassword] = useState("");
  const turnOff = useMutation({
    mutationFn: () => answerOf(waypost.POST("/user/one-time-codes/turn-off", { body: { currentPassword } })),
    onSuccess(state) {
      queries.setQueryData(oneTimeCodesKey, state);
      onClose();
      notify({ kind: "done", text: security.turnedOff });
      // Workspaces that require two factors are closed now.
      return queries.invalidateQueries();
    },
  });
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={security.turnOffTitle}
      action={security.turnOff}
      onSubmit={() => turnOff.mutate()}
      isBusy={turnOff.isPending}
      error={turnOff.error}
      shownFields={["currentPassword"]}
    >
      <p className="text-muted">{security.turnOffText}</p>
      <CurrentPassword value={currentPassword} onChange={setCurrentPassword} error={turnOff.error} />
    </FormDialog>
  );
}

function RenewDialog({ onClose }: { onClose(): void }) {
  const { security } = useTexts();
  const queries = useQueryClient();
  const [currentPassword, setCurrentPassword] = useState("");
  const renew = useMutation({
    mutationFn: () => answerOf(waypost.POST("/user/recovery-codes", { body: { currentPassword } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: oneTimeCodesKey }),
  });
  return (
    <RecoveryCodesDialog
      codes={renew.data?.recoveryCodes}
      onClose={onClose}
      title={security.renewTitle}
      action={security.create}
      onSubmit={() => renew.mutate()}
      isBusy={renew.isPending}
      error={renew.error}
      shownFields={["currentPassword"]}
    >
      <p className="text-muted">{security.renewText}</p>
      <CurrentPassword value={currentPassword} onChange={setCurrentPassword} error={renew.error} />
    </RecoveryCodesDialog>
  );
}
