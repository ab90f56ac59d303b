import { useQuery } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { useWorkspace } from "./workspace.tsx";

export type Member = Schemas["Member"];

export function membersKey(workspaceId: number) {
  return [workspaceId, "members"] as const;
}

/** Who belongs to the workspace. */
export function useMembers() {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: membersKey(id),
    queryFn: () => answerOf(api.GET("/workspaces/{workspaceId}/members", { params: { path: { workspaceId: id } } })),
  });
}
