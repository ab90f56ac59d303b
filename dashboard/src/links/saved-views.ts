import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf, type Schemas, type Waypost } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";

/** A saved view as the API returns it. */
export type SavedView = Schemas["SavedView"];

function savedViewsKey(workspaceId: number) {
  return [workspaceId, "saved-views"] as const;
}

/** Reads the person's views and the shared ones, by name. */
export function useSavedViews() {
  const { id, api } = useWorkspace();
  return useQuery({ queryKey: savedViewsKey(id), queryFn: () => answerOf(api.GET("/saved-views")) });
}

/** A change of the saved views, after which they are read again. */
export function useSavedViewChange<Input>(
  change: (api: Waypost, input: Input) => Promise<unknown>,
  onDone: () => void,
) {
  const { id, api } = useWorkspace();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => change(api, input),
    async onSuccess() {
      onDone();
      await queries.invalidateQueries({ queryKey: savedViewsKey(id) });
    },
  });
}
