import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { signInMethods } from "../api/sign-in-methods.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Code } from "../ui/code.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input, Select } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { invitesKey, type Role } from "./workspace-queries.ts";

const roles = ["member", "viewer", "owner"] as const;

/** Creates an invitation and shows its link once. */
export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const fieldErrorOf = useFieldErrorOf();
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
  const invite = creation.data;
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={onClose}
      title={invite ? settings.inviteReady : settings.inviteTitle}
      about={invite ? settings.inviteReadyHint : settings.inviteAbout}
      action={settings.inviteCreate}
      onSubmit={() => creation.mutate()}
      isBusy={creation.isPending}
      error={creation.error}
      shownFields={["email"]}
      result={
        invite && {
          secret: { text: invite.url, copyLabel: settings.copyLink, isSent: invite.mailed },
          content: <ShownInvite invite={invite} />,
        }
      }
    >
      <Field
        label={settings.inviteEmail}
        hint={canSendMail() ? settings.inviteEmailHint : settings.inviteEmailHintNoMail}
        fieldError={fieldErrorOf(creation.error, "email")}
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
    </FormDialog>
  );
}

/** False only while people sign in with passwords and the service offers no links by mail: it has no mail server. */
function canSendMail(): boolean {
  const { hasPasswords, hasLinks } = signInMethods();
  return hasLinks || !hasPasswords;
}

/** The link of a new invitation, which is shown only now. */
function ShownInvite({ invite: { url, mailed, email } }: { invite: Schemas["NewInvite"] }) {
  const { settings } = useTexts();
  return (
    <div className="grid gap-3">
      <Code text={url} label={settings.inviteLink} />
      {email !== null && (
        <p className="text-muted">{mailed ? settings.inviteMailed(email) : settings.inviteNotMailed(email)}</p>
      )}
    </div>
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
