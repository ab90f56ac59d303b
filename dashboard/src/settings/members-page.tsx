import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { UserMinus, UserPlus } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { type Member, membersKey, useMembers } from "../api/members.ts";
import { useUser } from "../api/user.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Select } from "../ui/field.tsx";
import { ListCard } from "../ui/list-card.tsx";
import { ReadOnlyNote } from "../ui/read-only-note.tsx";
import { useNotify, useNotifyFailure } from "../ui/toasts.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { InvitesCard } from "./invites-card.tsx";
import type { Role } from "./workspace-queries.ts";

const roles = ["owner", "member", "viewer"] as const;

/** The members of the workspace and its open invitations. */
export function MembersPage() {
  const { settings } = useTexts();
  const format = useFormat();
  const { isOwner } = useWorkspace();
  const members = useMembers();
  const { invite = false } = useSearch({ from: "/signed-in/w/$workspaceId/settings-frame/settings/members" });
  const navigate = useNavigate({ from: "/w/$workspaceId/settings/members" });
  const show = (isShown: boolean) => navigate({ search: isShown ? { invite: true } : {}, replace: true });
  return (
    <>
      {!isOwner && <ReadOnlyNote>{settings.ownersOnly}</ReadOnlyNote>}
      <ListCard
        title={settings.members}
        about={members.data && settings.membersAbout(members.data.length, format.number(members.data.length))}
        aside={
          isOwner && (
            <Button variant="primary" onClick={() => show(true)}>
              <UserPlus aria-hidden />
              {settings.invite}
            </Button>
          )
        }
        query={members}
      >
        {(member) => <MemberRow key={member.userId} member={member} />}
      </ListCard>
      <InvitesCard />
      {isOwner && <InviteDialog key={String(invite)} isOpen={invite} onClose={() => show(false)} />}
    </>
  );
}

function MemberRow({ member }: { member: Member }) {
  const { settings } = useTexts();
  const format = useFormat();
  const { data: user } = useUser();
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <Avatar name={member.name} url={member.avatarUrl} />
      <div className="min-w-0 grow basis-40">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="min-w-0 truncate">{member.name}</span>
          {user?.id === member.userId && <Badge>{settings.thisIsYou}</Badge>}
        </p>
        <p className="text-[13px] text-muted [overflow-wrap:anywhere] max-xl:text-balance xl:truncate">
          {member.email !== null && (
            <span className="max-xl:block">
              {member.email}
              <span className="max-xl:hidden">{"\u00a0· "}</span>
            </span>
          )}
          {settings.joined(format.day(member.createdAt))}
        </p>
      </div>
      <MemberControls member={member} isYou={user?.id === member.userId} />
    </li>
  );
}

/** An owner's controls for a member; others see the role. */
function MemberControls({ member, isYou }: { member: Member; isYou: boolean }) {
  const { settings, shell } = useTexts();
  const { isOwner } = useWorkspace();
  const role = useRoleChange(member);
  const removal = useRemoval(member);
  const [isRemoving, setRemoving] = useState(false);
  if (!isOwner) return <Badge className="max-sm:ml-13">{shell.roles[member.role]}</Badge>;
  return (
    <div className="flex items-center gap-1 max-sm:w-full max-sm:pl-13">
      <Select
        aria-label={settings.roleOf(member.name)}
        title={settings.roleHints[member.role]}
        value={role.isPending ? role.variables : member.role}
        onChange={(event) => role.mutate(roles.find((each) => each === event.target.value) ?? member.role)}
        className="w-auto"
      >
        {roles.map((each) => (
          <option key={each} value={each}>
            {shell.roles[each]}
          </option>
        ))}
      </Select>
      <IconButton
        label={settings.removeMember(member.name)}
        disabled={isYou}
        className={isYou ? "invisible" : ""}
        onClick={() => setRemoving(true)}
      >
        <UserMinus />
      </IconButton>
      <ConfirmDialog
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title={settings.removeTitle(member.name)}
        action={settings.removeMember(member.name)}
        onConfirm={() => removal.mutate()}
        isBusy={removal.isPending}
        error={removal.error}
      >
        <p>{settings.removeText}</p>
      </ConfirmDialog>
    </div>
  );
}

/** The new role is shown at once, and reverts if the call fails. */
function useRoleChange({ userId, name }: Member) {
  const { settings, shell } = useTexts();
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  const notify = useNotify();
  return useMutation({
    mutationFn: (role: Role) => {
      const params = { path: { workspaceId: id, userId } };
      return answerOf(api.PATCH("/workspaces/{workspaceId}/members/{userId}", { params, body: { role } }));
    },
    async onSuccess(_, role) {
      // The person's own role and permissions may have changed.
      await queries.invalidateQueries();
      notify({ kind: "done", text: settings.roleChanged(name, shell.roles[role]) });
    },
    onError: useNotifyFailure(),
  });
}

function useRemoval({ userId, name }: Member) {
  const { settings } = useTexts();
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  const notify = useNotify();
  return useMutation({
    mutationFn: () => {
      const params = { path: { workspaceId: id, userId } };
      return answerOf(api.DELETE("/workspaces/{workspaceId}/members/{userId}", { params }));
    },
    async onSuccess() {
      notify({ kind: "done", text: settings.removed(name) });
      await queries.invalidateQueries({ queryKey: membersKey(id) });
    },
  });
}
