import { useQuery } from "@tanstack/react-query";
import { answerOf } from "../../../sdk/client.ts";
import { useWorkspace } from "./workspace.tsx";

/** The interval between two requests of an open page. */
const refetchMs = 5 * 60_000;

/**
 * Reads what the operator has blocked in the workspace. Fails with "forbidden" for a user with a blocked account.
 */
export function useBlocks() {
  const { api, id } = useWorkspace();
  return useQuery({
    queryKey: [id, "blocks"],
    queryFn: () => answerOf(api.GET("/workspaces/{workspaceId}/blocks", { params: { path: { workspaceId: id } } })),
    refetchInterval: refetchMs,
  });
}

/** True when the operator has blocked this domain of the workspace. */
export function useIsDomainBlocked(slug: string): boolean {
  const { data = [] } = useBlocks();
  return data.some(({ kind, target }) => kind === "domain" && target === slug);
}
