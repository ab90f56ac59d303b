import { useQuery } from "@tanstack/react-query";
import { answerOf } from "../../../sdk/client.ts";
import { useWorkspace } from "./workspace.tsx";

/** Query key of the details of a workspace. */
export function workspaceDetailsKey(workspaceId: number) {
  return [workspaceId, "settings", "workspace"] as const;
}

/** Reads the details of the current workspace, which the list of workspaces does not contain. */
export function useWorkspaceDetails() {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: workspaceDetailsKey(id),
    queryFn: () => answerOf(api.GET("/workspaces/{workspaceId}", { params: { path: { workspaceId: id } } })),
  });
}
