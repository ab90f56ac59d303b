import { QueryClient } from "@tanstack/react-query";
import { WaypostError } from "../../../sdk/client.ts";

const freshMs = 15_000;
const retriesMax = 2;
const clientMistakes = { from: 400, to: 499 };

/** Everything the dashboard has read, by key. Keys begin with the workspace's id where the thing read belongs to one. */
export function openQueries(onSignedOut: () => Promise<void>): QueryClient {
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        // What was refused will be refused again; a server that is away may come back.
        retry: (failures, error) => failures < retriesMax && !isRefusal(error),
      },
    },
  });
  const watch = (error: unknown) => {
    if (error instanceof WaypostError && error.code === "unauthorized") void onSignedOut();
  };
  queries.getQueryCache().subscribe((event) => {
    if (event.type === "updated" && event.action.type === "error") watch(event.action.error);
  });
  queries.getMutationCache().subscribe((event) => {
    if (event.type === "updated" && event.action.type === "error") watch(event.action.error);
  });
  return queries;
}

function isRefusal(error: unknown): boolean {
  return error instanceof WaypostError && error.status >= clientMistakes.from && error.status <= clientMistakes.to;
}
