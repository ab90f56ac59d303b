import { type Query, QueryClient } from "@tanstack/react-query";
import { WaypostError } from "../../../sdk/client.ts";
import { gatewayStatuses } from "./problem.ts";

const freshMs = 15_000;
const retriesMax = 2;
const clientErrors = { from: 400, to: 499 };

/**
 * Creates the cache of everything the dashboard reads. Calls `onSignedOut` when the server refuses a request because
 * nobody is signed in. Query keys begin with the workspace's id where the data belongs to one.
 */
export function openQueries(onSignedOut: () => Promise<void>): QueryClient {
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        // A refused request would be refused again; an unreachable server may come back.
        retry: (failures, error) => failures < retriesMax && !isRefusal(error),
      },
      // Changes wait for the connection where all requests are sent; see send-request.ts.
      mutations: { networkMode: "always" },
    },
  });
  const reportSignedOut = (error: unknown) => {
    if (error instanceof WaypostError && error.code === "unauthorized") void onSignedOut();
  };
  queries.getQueryCache().subscribe((event) => {
    if (event.type !== "updated") return;
    if (event.action.type === "error") reportSignedOut(event.action.error);
    // A manual success is data that the dashboard wrote into the cache, which says nothing about the server.
    if (event.action.type === "success" && event.action.manual !== true) void refetchFailedQueries(queries);
  });
  queries.getMutationCache().subscribe((event) => {
    if (event.type === "updated" && event.action.type === "error") reportSignedOut(event.action.error);
  });
  return queries;
}

/**
 * After a successful response, refetches the visible queries that failed while the server was unreachable, but
 * never fetches the same query twice at once.
 */
function refetchFailedQueries(queries: QueryClient): Promise<void> {
  const failed = ({ state }: Query) =>
    state.status === "error" && state.fetchStatus === "idle" && isOutage(state.error);
  return queries.refetchQueries({ type: "active", predicate: failed }, { cancelRefetch: false });
}

/** True if no response came, or if a gateway answered because the server did not respond. */
function isOutage(error: unknown): boolean {
  return !(error instanceof WaypostError) || gatewayStatuses.includes(error.status);
}

function isRefusal(error: unknown): boolean {
  return error instanceof WaypostError && error.status >= clientErrors.from && error.status <= clientErrors.to;
}
