import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { answerOf, type Waypost } from "../../../sdk/client.ts";
import { waypost, waypostIn } from "./waypost.ts";

/** A workspace of the person, as `GET /v1/workspaces` lists it. */
export type Workspace = { id: number; name: string; role: string; avatar_url: string };

/** What pages need: the workspace, the API in it, and the person's permissions. */
type WorkspaceAccess = Workspace & { api: Waypost; canWrite: boolean; isOwner: boolean };

const Current = createContext<WorkspaceAccess | undefined>(undefined);

/** Sets the workspace of its children. The API client stays the same until the workspace changes. */
export function WorkspaceProvider({ workspace, children }: { workspace: Workspace; children: ReactNode }) {
  const { id, role } = workspace;
  const api = useMemo(() => waypostIn(id), [id]);
  const access = useMemo(
    () => ({ ...workspace, api, canWrite: role !== "viewer", isOwner: role === "owner" }),
    [workspace, api, role],
  );
  return <Current value={access}>{children}</Current>;
}

/** The current workspace. Throws outside WorkspaceProvider. */
export function useWorkspace(): WorkspaceAccess {
  const access = useContext(Current);
  if (access === undefined) throw new Error("useWorkspace needs a WorkspaceProvider.");
  return access;
}

/** Query key of the person's workspaces. */
export const workspacesKey = ["workspaces"] as const;

/** Reads the workspaces that the person belongs to. */
export async function readWorkspaces(): Promise<Workspace[]> {
  return (await answerOf(waypost.GET("/workspaces"))).workspaces;
}

/** The list of readWorkspaces, shared by all components. */
export function useWorkspaces() {
  return useQuery({ queryKey: workspacesKey, queryFn: readWorkspaces });
}
