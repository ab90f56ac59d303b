import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { useWorkspace, workspacesKey } from "../api/workspace.tsx";
import { workspaceDetailsKey } from "../api/workspace-details.ts";
import { useTexts } from "../texts/texts.tsx";
import { useNotify } from "../ui/toasts.tsx";

/** An open invitation; `email` is null when anyone with the link can accept it. */
export type Invite = Schemas["Invite"];
/** A key as the list returns it, with its prefix only. `scopes` is null for a key with all permissions of its user. */
export type ApiKey = Schemas["ApiKey"];
/** The role of a member in a workspace. */
export type Role = Schemas["Member"]["role"];

/** Query key of a workspace's settings; those of its invitations and keys start with it. */
function settingsKey(workspaceId: number) {
  return [workspaceId, "settings"] as const;
}

type WorkspaceChanges = { name?: string; clickRetentionDays?: number | null; requiresSecondFactor?: boolean };

/** Changes the workspace, then refetches it everywhere. */
export function useWorkspaceUpdate() {
  const { api, id } = useWorkspace();
  const refetch = useRefetchWorkspace();
  return useMutation({
    mutationFn: (body: WorkspaceChanges) =>
      answerOf(api.PATCH("/workspaces/{workspaceId}", { params: { path: { workspaceId: id } }, body })),
    onSuccess: refetch,
  });
}

/** Uploads an avatar, or removes it with null. */
export function useAvatarUpdate() {
  const { api, id } = useWorkspace();
  const refetch = useRefetchWorkspace();
  return useMutation({
    mutationFn: (image: string | null) => {
      const params = { path: { workspaceId: id } };
      return image === null
        ? answerOf(api.DELETE("/workspaces/{workspaceId}/avatar", { params }))
        : answerOf(api.PUT("/workspaces/{workspaceId}/avatar", { params, body: { image } }));
    },
    onSuccess: refetch,
  });
}

function useRefetchWorkspace() {
  const { id } = useWorkspace();
  const queries = useQueryClient();
  const notify = useNotify();
  const { settings } = useTexts();
  return async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: workspacesKey }),
      queries.invalidateQueries({ queryKey: workspaceDetailsKey(id) }),
    ]);
    notify({ kind: "done", text: settings.saved });
  };
}

/** Query key of a workspace's open invitations. */
export function invitesKey(workspaceId: number) {
  return [...settingsKey(workspaceId), "invites"] as const;
}

/** Reads the open invitations of the workspace. */
export function useInvites() {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: invitesKey(id),
    queryFn: () => answerOf(api.GET("/workspaces/{workspaceId}/invites", { params: { path: { workspaceId: id } } })),
  });
}

/** Query key of a workspace's API keys. */
export function apiKeysKey(workspaceId: number) {
  return [...settingsKey(workspaceId), "keys"] as const;
}

/** Reads the API keys of the workspace: all of them for an owner, the person's own for others. */
export function useApiKeys() {
  const { api, id } = useWorkspace();
  return useQuery({ queryKey: apiKeysKey(id), queryFn: () => answerOf(api.GET("/api-keys")) });
}
