import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { answerOf, type Waypost } from "../../../sdk/client.ts";
import { waypost, waypostIn } from "./waypost.ts";

/** A workspace of the person's, as `GET /v1/workspaces` lists it. */
export type Workspace = { id: number; name: string; role: string; avatar_url: string };

/** What a page works with: its workspace, the API in it, and what the person may do there. */
type WorkspaceAccess = Workspace & { api: Waypost; canWrite: boolean; isOwner: boolean };

const Current = createContext<WorkspaceAccess | undefined>(undefined);

/**
 * Makes a workspace the one that its children work in. The API of it stays the same until another workspace is given.
 */
export function WorkspaceProvider({ workspace, children }: { workspace: Workspace; children: ReactNode }) {
  const { id, role } = workspace;
  const api = useMemo(() => waypostIn(id), [id]);
  const access = useMemo(
    () => ({ ...workspace, api, canWrite: role !== "viewer", isOwner: role === "owner" }),
    [workspace, api, role],
  );
  return <Current value={access}>{children}</Current>;
}

/** The workspace whose pages are shown. */
export function useWorkspace(): WorkspaceAccess {
  const access = useContext(Current);
  if (access === undefined) throw new Error("A workspace was asked for outside its pages.");
  return access;
}

/** Where the list of the person's workspaces is kept. */
export const workspacesKey = ["workspaces"] as const;

/** The workspaces that the person belongs to. */
export async function readWorkspaces(): Promise<Workspace[]> {
  return (await answerOf(waypost.GET("/workspaces"))).workspaces;
}

/** The list of readWorkspaces, read once for all who show it. */
export function useWorkspaces() {
  return useQuery({ queryKey: workspacesKey, queryFn: readWorkspaces });
}
