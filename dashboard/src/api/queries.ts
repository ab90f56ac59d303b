import { type Query, QueryClient } from "@tanstack/react-query";
import { WaypostError } from "../../../sdk/client.ts";

const freshMs = 15_000;
const retriesMax = 2;
const gatewayStatuses = [502, 503, 504];
const clientErrors = { from: 400, to: 499 };

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
    if (event.type !== "updated") return;
    if (event.action.type === "error") watch(event.action.error);
    if (event.action.type === "success" && event.action.manual !== true) void askAgain(queries);
  });
  queries.getMutationCache().subscribe((event) => {
    if (event.type === "updated" && event.action.type === "error") watch(event.action.error);
  });
  return queries;
}

/** The server has answered: what is shown and failed while it was away is asked for again, once at a time. */
function askAgain(queries: QueryClient): Promise<void> {
  const failed = ({ state }: Query) =>
    state.status === "error" && state.fetchStatus === "idle" && isOutage(state.error);
  return queries.refetchQueries({ type: "active", predicate: failed }, { cancelRefetch: false });
}

/** No answer at all, or that of a gateway in front of a server that gives none. */
function isOutage(error: unknown): boolean {
  return !(error instanceof WaypostError) || gatewayStatuses.includes(error.status);
}

function isRefusal(error: unknown): boolean {
  return error instanceof WaypostError && error.status >= clientErrors.from && error.status <= clientErrors.to;
}
