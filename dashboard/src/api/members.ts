import { useQuery } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { useWorkspace } from "./workspace.tsx";

/** A person in a workspace, and their role. `email` is null for a user created without one. */
export type Member = Schemas["Member"];

/** Query key of a workspace's members. */
export function membersKey(workspaceId: number) {
  return [workspaceId, "members"] as const;
}

/** True for the query key of the members of any workspace. */
export function isMembersKey(key: readonly unknown[]): boolean {
  return key.length === 2 && key[1] === "members";
}

/** Reads the members of the workspace. */
export function useMembers() {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: membersKey(id),
    queryFn: () => answerOf(api.GET("/workspaces/{workspaceId}/members", { params: { path: { workspaceId: id } } })),
  });
}
