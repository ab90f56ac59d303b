import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { mistakeOf } from "../api/problem.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Code } from "../ui/code.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Field, Input, Select } from "../ui/field.tsx";
import { invitesKey, type Role } from "./workspace-queries.ts";

const roles = ["member", "viewer", "owner"] as const;
const formId = "invite";

/** Makes the link by which somebody joins, and shows it once. */
export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const { settings, words } = useTexts();
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("member");
  const creation = useMutation({
    mutationFn: () => {
      const params = { path: { workspaceId: id } };
      const body = { email: email.trim() === "" ? null : email, role, expiresAt: null };
      return answerOf(api.POST("/workspaces/{workspaceId}/invites", { params, body }));
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: invitesKey(id) }),
  });
  const made = creation.data;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creation.mutate();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={made ? settings.inviteReady : settings.inviteTitle}
      about={made ? settings.inviteReadyHint : settings.inviteAbout}
      footer={
        made ? (
          <Button look="primary" onClick={onClose}>
            {words.done}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{words.cancel}</Button>
            <Button look="primary" type="submit" form={formId} isBusy={creation.isPending}>
              {settings.inviteMake}
            </Button>
          </>
        )
      }
    >
      {made ? (
        <div className="grid gap-3">
          <Code text={made.url} label={settings.inviteLink} copyLabel={settings.copyLink} />
          {made.mailed && <p className="text-muted">{settings.inviteMailed(made.email ?? "")}</p>}
        </div>
      ) : (
        <form id={formId} className="grid gap-5" onSubmit={submit}>
          <Field
            label={settings.inviteEmail}
            hint={settings.inviteEmailHint}
            mistake={mistakeOf(creation.error, "email")}
            aside={<span className="text-[13px] text-faint">{words.optional}</span>}
          >
            <Input
              type="email"
              placeholder="ann@example.com"
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          </Field>
          <RoleField role={role} onChange={setRole} />
          <ErrorNote error={creation.error} shownFields={["email"]} />
        </form>
      )}
    </Dialog>
  );
}

function RoleField({ role, onChange }: { role: Role; onChange(role: Role): void }) {
  const { settings, shell } = useTexts();
  return (
    <Field label={settings.role} hint={settings.roleHints[role]}>
      <Select value={role} onChange={(event) => onChange(roles.find((each) => each === event.target.value) ?? role)}>
        {roles.map((each) => (
          <option key={each} value={each}>
            {shell.roles[each]}
          </option>
        ))}
      </Select>
    </Field>
  );
}
