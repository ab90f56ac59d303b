import { useQuery } from "@tanstack/react-query";
import { MousePointerClick } from "lucide-react";
import { useEffect, useRef } from "react";
import { answerOf } from "../../../sdk/client.ts";
import type { StreamState } from "../api/follow-stream.ts";
import { type LiveClick, useLiveClicks } from "../api/live-clicks.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { classNames } from "../base/class-names.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";

const clicksMax = 5;
const checkAgainMs = 2_000;
const checksMax = 5;

/** The fields that are shown, which the stream and the list share. */
type ShownClick = Pick<LiveClick, "click_id" | "timestamp" | "country" | "browser" | "os"> & { click: { qr: boolean } };

/** Shows the clicks of a link as they arrive, the newest first; calls `onClick` when there is one. */
export function FirstClicks({ linkId, onClick }: { linkId: string; onClick(): void }) {
  const { welcome } = useTexts();
  const { clicks: live, state } = useLiveClicks({ linkId }, { clicksMax });
  const clicks = latest([...live, ...useEarlierClicks(linkId)]);
  const isHere = clicks.length > 0;
  const report = useRef(onClick);
  useEffect(() => {
    if (isHere) report.current();
  }, [isHere]);
  return (
    <div
      className={classNames(
        "border-t border-line px-5 py-5 transition-colors sm:px-8",
        isHere ? "bg-success-soft" : "bg-sunken/60",
      )}
    >
      <div className="flex items-center gap-4">
        <Pulse isHere={isHere} />
        <div role="status">
          <p className={classNames("font-semibold", isHere && "text-success")}>
            {isHere ? welcome.arrived : welcome.waiting}
          </p>
          {!isHere && <p className="text-[13px] text-muted">{stateText(welcome, state)}</p>}
        </div>
      </div>
      {isHere && (
        <ul className="mt-3 grid gap-2 sm:pl-14">
          {clicks.map((click) => (
            <ClickLine key={click.click_id} click={click} />
          ))}
        </ul>
      )}
    </div>
  );
}

/** Reads clicks from before the page was opened, for example after a reload. */
function useEarlierClicks(linkId: string): readonly ShownClick[] {
  const { id, api } = useWorkspace();
  const { data } = useQuery({
    queryKey: [id, "welcome", "clicks", linkId],
    queryFn: () => answerOf(api.GET("/events", { params: { query: { linkId, interval: "24h", limit: clicksMax } } })),
    // A new click reaches the store a moment later.
    refetchInterval: ({ state }) =>
      state.data?.length === 0 && state.dataUpdateCount < checksMax ? checkAgainMs : false,
  });
  return data ?? [];
}

/** Removes duplicates; the newest comes first. */
function latest(clicks: readonly ShownClick[]): ShownClick[] {
  const each = [...new Map(clicks.map((click) => [click.click_id, click])).values()];
  return each.sort((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp)).slice(0, clicksMax);
}

function stateText(
  { waitingHint, reconnecting, unavailable }: { waitingHint: string; reconnecting: string; unavailable: string },
  state: StreamState,
): string {
  if (state === "refused") return unavailable;
  return state === "reconnecting" ? reconnecting : waitingHint;
}

function Pulse({ isHere }: { isHere: boolean }) {
  return (
    <span className="relative grid size-10 shrink-0 place-items-center">
      {!isHere && <span className="absolute inset-0 animate-ping rounded-full bg-accent/20" aria-hidden />}
      <span
        className={classNames(
          "relative grid size-10 place-items-center rounded-full",
          isHere ? "bg-success text-canvas" : "bg-accent-soft text-accent",
        )}
      >
        <MousePointerClick className="size-5" aria-hidden />
      </span>
    </span>
  );
}

function ClickLine({ click }: { click: ShownClick }) {
  const { welcome } = useTexts();
  const format = useFormat();
  const place = click.country === "Unknown" ? welcome.unknownPlace : format.country(click.country);
  const parts = [welcome.with(click.browser, click.os), welcome.from(place), ...(click.click.qr ? [welcome.byQr] : [])];
  return (
    <li className="appear-rise flex flex-wrap items-baseline justify-between gap-x-4">
      <span className="font-medium">{parts.join(" · ")}</span>
      <time dateTime={click.timestamp} className="tabular text-[13px] text-muted">
        {new Date(click.timestamp).toLocaleTimeString(format.locale)}
      </time>
    </li>
  );
}
