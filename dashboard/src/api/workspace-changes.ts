import { type Query, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Waypost } from "../../../sdk/client.ts";
import { followStream, pause } from "./follow-stream.ts";
import { useWorkspace, workspacesKey } from "./workspace.tsx";

/**
 * Reads lists again when another tab or another person changes something. One stream per tab serves all pages. It opens
 * once the page has its data, and closes while the tab is hidden, since browsers limit the connections to a host.
 */

/** TABLE of the data that a changed object may alter, by the second part of query keys. */
const alteredBy: Readonly<Record<string, readonly string[]>> = {
  link: ["links", "blocks"],
  clicks: ["links", "analytics", "events"],
  tag: ["tags", "links"],
  // The deletion of a folder or a share also ends the notifications about it.
  folder: ["folders", "links", "notifications"],
  domain: ["domains", "links"],
  member: ["members", "workspaces"],
  invite: ["settings", "members"],
  apiKey: ["settings"],
  workspace: ["settings", "workspaces"],
  savedView: ["saved-views"],
  utmTemplate: ["utm-templates"],
  share: ["shares", "notifications"],
  notification: ["notifications"],
};
/** After a long gap everything in the table is read again, except reports, which follow their own schedule. */
const afterGap = [...new Set(Object.values(alteredBy).flat())].filter(
  (name) => !["analytics", "events"].includes(name),
);

/** Queries that forms have read once: a later version must not replace the one that the person is changing. */
const readOnce = ["edited", "copied"];

/** The page's own requests go first: the stream opens when none was pending for this long. */
const quietMs = 1_000;
const stepMs = 250;
/** The server knows what changed in a gap up to this long. */
const gapSecondsMax = 3_600;
/**
 * Changes within the shorter time cause one refresh. While changes do not stop, as during an import, the time doubles up
 * to the longer one, so that open tabs do not use up the person's rate limit.
 */
const refreshMsMin = 1_000;
const refreshMsMax = 8_000;

/** Keeps the data of the current workspace up to date. Call it once per page, in the frame. */
export function useWorkspaceChanges(): void {
  const { id, api } = useWorkspace();
  const queries = useQueryClient();
  useEffect(() => {
    let connection: AbortController | undefined;
    const page = new AbortController();
    const refresh = openRefresh(queries, id, page.signal);
    const following = { api, queries, refresh, known: { at: Date.now() } };
    const update = () => {
      if (document.hidden) {
        connection?.abort();
        connection = undefined;
      } else if (connection === undefined) {
        connection = new AbortController();
        void followChanges({ ...following, signal: connection.signal });
      }
    };
    document.addEventListener("visibilitychange", update);
    update();
    return () => {
      document.removeEventListener("visibilitychange", update);
      connection?.abort();
      page.abort();
    };
  }, [id, api, queries]);
}

type FollowOptions = {
  api: Waypost;
  queries: QueryClient;
  /** Reads data again, by the second part of query keys. */
  refresh(names: readonly string[]): void;
  /** The time up to which all changes are known. */
  known: { at: number };
  signal: AbortSignal;
};

async function followChanges({ api, queries, refresh, known, signal }: FollowOptions): Promise<void> {
  await waitUntilIdle(queries, signal);
  await followStream({
    connect() {
      const gapSeconds = Math.ceil((Date.now() - known.at) / 1_000);
      if (gapSeconds > gapSecondsMax) refresh(afterGap);
      const lastSeconds = Math.min(gapSeconds, gapSecondsMax);
      return api.GET("/changes/live", { params: { query: { lastSeconds } }, parseAs: "stream", signal });
    },
    signal,
    onState() {},
    onData(data) {
      known.at = Date.now();
      // The events match the API's description, as other responses do.
      const { changed } = JSON.parse(data) as { changed: string[] };
      refresh(changed.flatMap((noun) => alteredBy[noun] ?? []));
    },
  });
}

/**
 * Returns a function that reads data again, given by the second part of query keys: a little later, when the changes of
 * this page have been answered, since their results are already shown, and when earlier reads are complete.
 */
function openRefresh(queries: QueryClient, workspaceId: number, signal: AbortSignal) {
  const waiting = new Set<string>();
  let isRunning = false;
  const isAffected = ({ queryKey: [owner, name, kind] }: Query) =>
    owner === workspacesKey[0]
      ? waiting.has(owner)
      : owner === workspaceId && waiting.has(String(name)) && !readOnce.includes(String(kind));
  const run = async () => {
    isRunning = true;
    let pauseMs = refreshMsMin;
    while (waiting.size > 0 && !signal.aborted) {
      await pause(stepMs, signal);
      if (queries.isMutating() > 0 || queries.isFetching({ predicate: isAffected }) > 0) continue;
      void queries.invalidateQueries({ predicate: isAffected });
      waiting.clear();
      await pause(pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, refreshMsMax);
    }
    isRunning = false;
  };
  return (names: readonly string[]) => {
    for (const name of names) waiting.add(name);
    if (!isRunning) void run();
  };
}

async function waitUntilIdle(queries: QueryClient, signal: AbortSignal): Promise<void> {
  for (let quiet = 0; quiet < quietMs && !signal.aborted; quiet += stepMs) {
    await pause(stepMs, signal);
    if (queries.isFetching() > 0 || document.readyState !== "complete") quiet = 0;
  }
}
