import { useQuery } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { useWorkspace } from "./workspace.tsx";

/** A person of a workspace and their role. `email` is null for who was made without one. */
export type Member = Schemas["Member"];

/** Where the members of a workspace are kept. */
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
