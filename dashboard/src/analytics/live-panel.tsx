import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Pause, Play, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import type { StreamState } from "../api/follow-stream.ts";
import { type LiveClick, useLiveClicks } from "../api/live-clicks.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { classNames } from "../base/class-names.ts";
import { useView } from "../reports/view.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Skeleton } from "../ui/states.tsx";
import { LiveRows } from "./live-rows.tsx";

/** Clicks kept; the oldest are dropped. */
const clicksMax = 200;
/** Earlier clicks that are shown until new ones arrive. */
const earlierShown = 10;

/** Shows clicks as they arrive, above the latest earlier ones. The page's numbers follow. */
export function LivePanel() {
  const { analytics } = useTexts();
  const format = useFormat();
  const { change } = useView();
  const query = useLiveQuery();
  const { clicks, state } = useLiveClicks(query, { clicksMax, onClick: useNumbersRefresh() });
  const earlier = useEarlierClicks();
  const [paused, setPaused] = useState<readonly LiveClick[]>();
  const shown = paused ?? clicks;
  const waiting = paused === undefined ? 0 : newerThan(paused, clicks);
  const ids = new Set(shown.map((click) => click.click_id));
  const before = (earlier.data ?? []).filter(({ click_id }) => !ids.has(click_id));
  return (
    <section
      aria-label={analytics.liveTitle}
      className="min-w-0 overflow-hidden rounded-xl border border-line bg-surface shadow-card"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2.5 sm:px-5">
        <h2 className="font-semibold">{analytics.liveTitle}</h2>
        <LiveIndicator state={paused === undefined ? state : "paused"} />
        <div className="ml-auto flex items-center gap-1.5">
          {waiting > 0 && (
            <span className="text-[13px] text-muted">{analytics.liveWaiting(waiting, format.number(waiting))}</span>
          )}
          <Button size="small" onClick={() => setPaused(paused === undefined ? clicks : undefined)}>
            {paused === undefined ? <Pause aria-hidden /> : <Play aria-hidden />}
            {paused === undefined ? analytics.pause : analytics.resume}
          </Button>
          <CloseButton onClose={() => change({ live: undefined })} />
        </div>
      </header>
      {state === "refused" && <p className="px-5 py-3 text-danger">{analytics.liveRefused}</p>}
      <ErrorNote error={earlier.error} onRetry={() => void earlier.refetch()} />
      {earlier.isPending && shown.length === 0 ? (
        <Skeleton className="m-4 h-72" />
      ) : (
        <LiveRows clicks={shown} earlierClicks={before.slice(0, Math.max(0, earlierShown - shown.length))} />
      )}
    </section>
  );
}

function CloseButton({ onClose }: { onClose(): void }) {
  const { words } = useTexts();
  return (
    <IconButton label={words.close} onClick={onClose}>
      <X aria-hidden />
    </IconButton>
  );
}

const signs: Record<StreamState | "paused", string> = {
  connecting: "bg-field",
  listening: "bg-success animate-pulse",
  reconnecting: "bg-warning",
  refused: "bg-danger",
  paused: "bg-field",
};

function LiveIndicator({ state }: { state: StreamState | "paused" }) {
  const { analytics } = useTexts();
  return (
    <span role="status" className="flex items-center gap-1.5 text-[13px] text-muted">
      <span aria-hidden className={classNames("size-2 rounded-full", signs[state])} />
      {analytics.liveStates[state]}
    </span>
  );
}

/** The page's filters; the period does not apply to future clicks. */
function useLiveQuery() {
  const { reportQuery } = useView();
  const { interval: _, start: __, end: ___, timezone: ____, metric: _____, compare: ______, ...query } = reportQuery;
  return query;
}

/** Reads the latest clicks before the panel was opened. */
function useEarlierClicks() {
  const { id, api } = useWorkspace();
  const query = { ...useLiveQuery(), interval: "all", limit: earlierShown } as const;
  return useQuery({
    queryKey: [id, "events", query],
    queryFn: ({ signal }) => answerOf(api.GET("/events", { params: { query }, signal })),
  });
}

const refreshMsMin = 2_000;

/** Queries that follow each click; the cards refetch at intervals, since they would exhaust the rate limit. */
const followed = ["count", "timeseries"];

/** Returns a function that refetches the numbers after a click, at most every two seconds and never concurrently. */
function useNumbersRefresh() {
  const queries = useQueryClient();
  const { source } = useView();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const last = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const refresh = () => {
    const keys = followed.map((name) => [...source.key, name]);
    // A pending query may not include the click.
    if (keys.some((queryKey) => queries.isFetching({ queryKey }) > 0)) {
      timer.current = setTimeout(refresh, refreshMsMin);
      return;
    }
    last.current = Date.now();
    for (const queryKey of keys) void queries.invalidateQueries({ queryKey }, { cancelRefetch: false });
  };
  return () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(refresh, Math.max(0, last.current + refreshMsMin - Date.now()));
  };
}

/** The number of clicks that arrived after the pause; all of them if no earlier click is in the list any more. */
function newerThan(paused: readonly LiveClick[], clicks: readonly LiveClick[]): number {
  const [newest] = paused;
  if (newest === undefined) return clicks.length;
  const position = clicks.findIndex(({ click_id }) => click_id === newest.click_id);
  return position < 0 ? clicks.length : position;
}
