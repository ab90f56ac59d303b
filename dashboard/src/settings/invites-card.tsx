import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link2, Mail } from "lucide-react";
import { answerOf } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ListCard } from "../ui/list-card.tsx";
import { useNotify, useNotifyFailure } from "../ui/toasts.tsx";
import { type Invite, invitesKey, useInvites } from "./workspace-queries.ts";

/** The open invitations. */
export function InvitesCard() {
  const { settings } = useTexts();
  const none = <p className="px-4 py-4 text-muted sm:px-5">{settings.invitesNone}</p>;
  return (
    <ListCard title={settings.invites} query={useInvites()} none={none}>
      {(invite) => <InviteRow key={invite.id} invite={invite} />}
    </ListCard>
  );
}

function InviteRow({ invite }: { invite: Invite }) {
  const { settings, shell } = useTexts();
  const format = useFormat();
  const { isOwner } = useWorkspace();
  const revocation = useRevocation(invite);
  const who = invite.email ?? settings.anybody;
  const Icon = invite.email === null ? Link2 : Mail;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <span className="grid size-9 shrink-0 place-items-center rounded-full border border-dashed border-field text-faint">
        <Icon className="size-4" aria-hidden />
      </span>
      <div className="min-w-0 grow basis-40">
        <p className="truncate font-medium">{who}</p>
        <p className="text-[13px] text-muted">{settings.expires(format.ago(invite.expiresAt))}</p>
      </div>
      <div className="flex items-center gap-3 max-sm:w-full max-sm:pl-13">
        <Badge>{shell.roles[invite.role]}</Badge>
        {isOwner && (
          <Button
            size="small"
            aria-label={settings.revokeInvite(who)}
            isBusy={revocation.isPending}
            onClick={() => revocation.mutate()}
          >
            {settings.revoke}
          </Button>
        )}
      </div>
    </li>
  );
}

function useRevocation({ id: inviteId }: Invite) {
  const { settings } = useTexts();
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  const notify = useNotify();
  return useMutation({
    mutationFn: () => {
      const params = { path: { workspaceId: id, inviteId } };
      return answerOf(api.DELETE("/workspaces/{workspaceId}/invites/{inviteId}", { params }));
    },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: invitesKey(id) });
      notify({ kind: "done", text: settings.inviteRevoked });
    },
    onError: useNotifyFailure(),
  });
}
