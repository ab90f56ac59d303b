import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { useWorkspace, workspacesKey } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { useNotify } from "../ui/toasts.tsx";

export type Invite = Schemas["Invite"];
export type ApiKey = Schemas["ApiKey"];
export type Role = Schemas["Member"]["role"];

/** A workspace's own page's key; its invites and keys lie beneath. */
export function settingsKey(workspaceId: number) {
  return [workspaceId, "settings"] as const;
}

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

export function invitesKey(workspaceId: number) {
  return [...settingsKey(workspaceId), "invites"] as const;
}

export function useInvites() {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: invitesKey(id),
    queryFn: () => answerOf(api.GET("/workspaces/{workspaceId}/invites", { params: { path: { workspaceId: id } } })),
  });
}

export function apiKeysKey(workspaceId: number) {
  return [...settingsKey(workspaceId), "keys"] as const;
}

export function useApiKeys() {
  const { api, id } = useWorkspace();
  return useQuery({ queryKey: apiKeysKey(id), queryFn: () => answerOf(api.GET("/api-keys")) });
}
