import { answerOf, createWaypost, type Schemas, type Waypost, WaypostError } from "../../../sdk/client.ts";
import { openConcurrencyLimit } from "../base/concurrency-limit.ts";
import { filterNames } from "../reports/filters.ts";
import { type Grouping, groupings, isGrouping } from "../reports/groupings.ts";
import { intervals } from "../reports/search.ts";
import { countIn, queriesAtOnceMax, type ReportQuery, rowsIn, type Source } from "../reports/source.ts";

/** What a shared page is about. */
export type Shared = Schemas["SharedAnalytics"];

/** A share as whoever has its address can ask about it. */
export type SharedClient = {
  about(signal: AbortSignal): Promise<Shared>;
  /** Gives the password. Throws WaypostError 422 for a wrong one. */
  unlock(password: string): Promise<void>;
  /** Its reports; onClosed is told when it opens nothing any more, or asks for its password again. */
  source(shared: Shared, onClosed: () => void): Source;
};

/** The pass that a password gave is kept until the tab is closed. */
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

/** The API without a person: with a share's pass, or nothing. */
function publicApi(pass: () => string | null): Waypost {
  return createWaypost({
    url: location.origin,
    apiKey: () => pass() ?? "",
    fetch: (request) => {
      if (pass() === null) request.headers.delete("Authorization");
      return fetch(request);
    },
  });
}

function sharedSource(api: Waypost, token: string, shared: Shared, onClosed: () => void): Source {
  const limited = openConcurrencyLimit(queriesAtOnceMax);
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
      if (known === undefined) throw new Error(`A share tells nothing of ${groupBy}.`);
      return rowsIn(await ask({ ...reportQuery, groupBy: known }, signal));
    },
    // Nothing of a share is filtered by ids.
    nameOf: async (_, id) => id,
  };
}

/** The groupings of cards; those of links say nothing of one link. */
function sharedGroupings({ groupings: all, kind }: Shared): Grouping[] {
  const names: readonly string[] = all;
  return names.filter(isGrouping).filter((name) => kind === "folder" || name !== "top_links");
}
