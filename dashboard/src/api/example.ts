import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf } from "../../../sdk/client.ts";
import { waypost, waypostIn } from "./waypost.ts";
import { workspacesKey } from "./workspace.tsx";

const exampleKey = ["example"] as const;
/** The interval between two requests while the server fills the example. */
const refetchMs = 1_500;

/** Reads the person's example workspace; null without one. */
export function useExample() {
  const queries = useQueryClient();
  return useQuery({
    queryKey: exampleKey,
    async queryFn() {
      const previous = queries.getQueryData<{ isReady: boolean } | null>(exampleKey);
      const { example } = await answerOf(waypost.GET("/user/example-workspace"));
      // What the page read while the server filled the example is outdated.
      if (example?.isReady && previous?.isReady === false) {
        await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== exampleKey[0] });
      }
      return example;
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (state.data?.isReady === false ? refetchMs : false),
  });
}

/** Creates the person's example workspace; resolves with its id. */
export function useCreateExample(onDone: (workspaceId: number) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => answerOf(waypost.POST("/user/example-workspace")),
    async onSuccess(example) {
      queries.setQueryData(exampleKey, example);
      await queries.invalidateQueries({ queryKey: workspacesKey });
      onDone(example.id);
    },
  });
}

/** Deletes the person's example workspace with its links and clicks. */
export function useRemoveExample(onDone: () => Promise<void>) {
  const queries = useQueryClient();
  return useMutation({
    async mutationFn({ id, name }: { id: number; name: string }) {
      const params = { path: { workspaceId: id }, query: { confirm: name } };
      await answerOf(waypostIn(id).DELETE("/workspaces/{workspaceId}", { params }));
    },
    async onSuccess() {
      queries.setQueryData(exampleKey, null);
      // The stored list still names the example, and the start page would open it again.
      queries.removeQueries({ queryKey: workspacesKey });
      await onDone();
    },
  });
}
