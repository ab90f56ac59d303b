import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { useWorkspace, workspacesKey } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { useNotify } from "../ui/toasts.tsx";

/** An invitation that nobody has taken; `email` is null where anybody may. */
export type Invite = Schemas["Invite"];
/**
 * A key as it is listed: how it begins, never the whole. `scopes` is null for one that may do all that its person may.
 */
export type ApiKey = Schemas["ApiKey"];
/** What a member may do in a workspace. */
export type Role = Schemas["Member"]["role"];

/** A workspace's own page's key; its invites and keys lie beneath. */
function settingsKey(workspaceId: number) {
  return [workspaceId, "settings"] as const;
}

/** What is set about the workspace, beyond what the list of workspaces tells. */
export function useWorkspaceDetails() {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: [...settingsKey(id), "workspace"],
    queryFn: () => answerOf(api.GET("/workspaces/{workspaceId}", { params: { path: { workspaceId: id } } })),
  });
}

type WorkspaceChanges = { name?: string; clickRetentionDays?: number | null };

/** Changes the workspace; its name is read again wherever it is shown. */
export function useWorkspaceUpdate() {
  const { api, id } = useWorkspace();
  const read = useReadAgain();
  return useMutation({
    mutationFn: (body: WorkspaceChanges) =>
      answerOf(api.PATCH("/workspaces/{workspaceId}", { params: { path: { workspaceId: id } }, body })),
    onSuccess: read,
  });
}

/** Uploads an avatar, or removes it with null. */
export function useAvatarUpdate() {
  const { api, id } = useWorkspace();
  const read = useReadAgain();
  return useMutation({
    mutationFn: (image: string | null) => {
      const params = { path: { workspaceId: id } };
      return image === null
        ? answerOf(api.DELETE("/workspaces/{workspaceId}/avatar", { params }))
        : answerOf(api.PUT("/workspaces/{workspaceId}/avatar", { params, body: { image } }));
    },
    onSuccess: read,
  });
}

function useReadAgain() {
  const { id } = useWorkspace();
  const queries = useQueryClient();
  const notify = useNotify();
  const { settings } = useTexts();
  return async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: workspacesKey }),
      queries.invalidateQueries({ queryKey: [...settingsKey(id), "workspace"] }),
    ]);
    notify({ kind: "done", text: settings.saved });
  };
}

/** Where the open invitations of a workspace are kept. */
export function invitesKey(workspaceId: number) {
  return [...settingsKey(workspaceId), "invites"] as const;
}

/** The open invitations of the workspace. */
export function useInvites() {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: invitesKey(id),
    queryFn: () => answerOf(api.GET("/workspaces/{workspaceId}/invites", { params: { path: { workspaceId: id } } })),
  });
}

/** Where the keys of a workspace are kept. */
export function apiKeysKey(workspaceId: number) {
  return [...settingsKey(workspaceId), "keys"] as const;
}

/** The keys of the workspace: all of them for an owner, the own ones for others. */
export function useApiKeys() {
  const { api, id } = useWorkspace();
  return useQuery({ queryKey: apiKeysKey(id), queryFn: () => answerOf(api.GET("/api-keys")) });
}
