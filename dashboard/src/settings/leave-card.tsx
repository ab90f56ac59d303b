import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { useUser } from "../api/user.ts";
import { useWorkspace, workspacesKey } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ActionRow } from "../ui/form-card.tsx";
import { useNotify } from "../ui/toasts.tsx";

/** Leaves or deletes the workspace. */
export function LeaveCard() {
  const { settings } = useTexts();
  const { name, isOwner } = useWorkspace();
  const [open, setOpen] = useState<"leave" | "delete">();
  const leaving = useEnd("leave");
  const deletion = useEnd("delete");
  const close = () => setOpen(undefined);
  return (
    <Card>
      <div className="divide-y divide-line">
        <ActionRow title={settings.leave} about={settings.leaveText}>
          <Button onClick={() => setOpen("leave")}>{settings.leave}</Button>
        </ActionRow>
        {isOwner && (
          <ActionRow title={settings.deleteWorkspace} about={settings.deleteWorkspaceAbout}>
            <Button variant="danger" onClick={() => setOpen("delete")}>
              {settings.deleteWorkspace}
            </Button>
          </ActionRow>
        )}
      </div>
      <ConfirmDialog
        isOpen={open === "leave"}
        onClose={close}
        title={settings.leaveTitle(name)}
        action={settings.leave}
        onConfirm={() => leaving.mutate()}
        isBusy={leaving.isPending}
        error={leaving.error}
      >
        <p>{settings.leaveText}</p>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={open === "delete"}
        onClose={close}
        title={settings.deleteWorkspaceTitle(name)}
        action={settings.deleteWorkspace}
        onConfirm={() => deletion.mutate()}
        isBusy={deletion.isPending}
        error={deletion.error}
        textToType={name}
      >
        <p>{settings.deleteWorkspaceText}</p>
      </ConfirmDialog>
    </Card>
  );
}

/** Deletes the workspace or the person's membership, then opens another workspace. */
function useEnd(kind: "leave" | "delete") {
  const { settings } = useTexts();
  const { api, id, name } = useWorkspace();
  const { data: user } = useUser();
  const queries = useQueryClient();
  const notify = useNotify();
  const navigate = useNavigate();
  return useMutation({
    async mutationFn() {
      if (kind === "delete") {
        const params = { path: { workspaceId: id }, query: { confirm: name } };
        await answerOf(api.DELETE("/workspaces/{workspaceId}", { params }));
        return;
      }
      const params = { path: { workspaceId: id, userId: user?.id ?? "" } };
      await answerOf(api.DELETE("/workspaces/{workspaceId}/members/{userId}", { params }));
    },
    async onSuccess() {
      notify({ kind: "done", text: kind === "delete" ? settings.workspaceDeleted(name) : settings.left(name) });
      queries.removeQueries({ queryKey: workspacesKey });
      await navigate({ to: "/" });
      queries.removeQueries({ queryKey: [id] });
    },
  });
}
