import { answerOf, createWaypost, type Schemas, type Waypost, WaypostError } from "../../../sdk/client.ts";
import { withPlainDirection } from "../api/plain-direction.ts";
import { openConcurrencyLimit } from "../base/concurrency-limit.ts";
import { filterNames } from "../reports/filters.ts";
import { type Grouping, groupings, isGrouping } from "../reports/groupings.ts";
import { intervals } from "../reports/search.ts";
import { concurrentQueriesMax, countIn, type ReportQuery, rowsIn, type Source } from "../reports/source.ts";

/** What a shared page shows. */
export type Shared = Schemas["SharedAnalytics"];

/** A share, as everyone with its URL can read it. */
export type SharedClient = {
  about(signal: AbortSignal): Promise<Shared>;
  /** Sends the password. Throws WaypostError 422 for a wrong one. */
  unlock(password: string): Promise<void>;
  /** The share's reports. onClosed is called when the share has ended or asks for its password again. */
  source(shared: Shared, onClosed: () => void): Source;
};

/** Opens a share. The access token that a password returns is kept until the tab is closed. */
export function openShared(token: string): SharedClient {
  const passName = `waypost-share-${token}`;
  const api = publicApi(() => sessionStorage.getItem(passName));
  const path = { shareToken: token };
  return {
    about: (signal) => answerOf(api.GET("/shared/{shareToken}", { params: { path }, signal })),
    async unlock(password) {
      const pass = await answerOf(api.POST("/shared/{shareToken}/access", { params: { path }, body: { password } }));
      sessionStorage.setItem(passName, pass.token);
    },
    source(shared, onClosed) {
      return sharedSource(api, token, shared, () => {
        sessionStorage.removeItem(passName);
        onClosed();
      });
    },
  };
}

/** The API without a user: with the share's access token, if there is one. */
function publicApi(pass: () => string | null): Waypost {
  return createWaypost({
    url: location.origin,
    apiKey: () => pass() ?? "",
    fetch: async (request) => {
      if (pass() === null) request.headers.delete("Authorization");
      return await withPlainDirection(await fetch(request));
    },
  });
}

function sharedSource(api: Waypost, token: string, shared: Shared, onClosed: () => void): Source {
  const limited = openConcurrencyLimit(concurrentQueriesMax);
  const sharedGroupingNames = sharedGroupings(shared);
  type SharedQuery = Pick<ReportQuery, "interval"> & { groupBy: Shared["groupings"][number] };
  const ask = (query: SharedQuery, signal: AbortSignal) =>
    limited(async () => {
      signal.throwIfAborted();
      try {
        const { interval, ...rest } = query;
        const known = shared.intervals.find((each) => each === interval);
        const params = {
          path: { shareToken: token },
          query: { ...rest, ...(known !== undefined && { interval: known }) },
        };
        return await answerOf(api.GET("/shared/{shareToken}/analytics", { params, signal }));
      } catch (error) {
        if (error instanceof WaypostError && ["not_found", "unauthorized"].includes(error.code)) onClosed();
        throw error;
      }
    });
  return {
    key: ["shared", token, "analytics"],
    intervals: intervals.filter((interval) => shared.intervals.some((each) => each === interval)),
    groupings: sharedGroupingNames,
    filters: filterNames.filter(
      (name) => name !== "linkId" && sharedGroupingNames.some((grouping) => groupings[grouping].filter === name),
    ),
    async count(reportQuery, signal) {
      return countIn(await ask({ ...reportQuery, groupBy: "count" }, signal));
    },
    async rows(groupBy, reportQuery, signal) {
      const known = shared.groupings.find((each) => each === groupBy);
      if (known === undefined) throw new Error(`This share has no grouping ${groupBy}.`);
      return rowsIn(await ask({ ...reportQuery, groupBy: known }, signal));
    },
    // Shares have no filters by id.
    nameOf: async (_, id) => id,
  };
}

/** The groupings that cards show; for a share of one link, groupings of links tell nothing. */
function sharedGroupings({ groupings: all, kind }: Shared): Grouping[] {
  const names: readonly string[] = all;
  return names.filter(isGrouping).filter((name) => kind === "folder" || name !== "top_links");
}
