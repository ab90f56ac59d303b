import { MousePointerClick } from "lucide-react";
import { type LiveClick, type LiveState, useLiveClicks } from "../api/live-clicks.ts";
import { classNames } from "../base/class-names.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";

const clicksMax = 5;

/** The clicks of a link as they come, the newest first. */
export function FirstClicks({ linkId }: { linkId: string }) {
  const { welcome } = useTexts();
  const { clicks, state } = useLiveClicks({ linkId }, { clicksMax });
  const isHere = clicks.length > 0;
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

function stateText(
  { waitingHint, away, refused }: { waitingHint: string; away: string; refused: string },
  state: LiveState,
): string {
  if (state === "refused") return refused;
  return state === "away" ? away : waitingHint;
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

function ClickLine({ click }: { click: LiveClick }) {
  const { welcome } = useTexts();
  const format = useFormat();
  const place = click.country === "Unknown" ? welcome.unknownPlace : format.country(click.country);
  const parts = [welcome.with(click.browser, click.os), welcome.from(place), ...(click.click.qr ? [welcome.byQr] : [])];
  return (
    <li className="appear-rise flex flex-wrap items-baseline justify-between gap-x-4">
      <span className="font-medium">{parts.join(" · ")}</span>
      <time dateTime={click.timestamp} className="tabular text-[13px] text-muted">
        {new Date(click.timestamp).toLocaleTimeString(format.language)}
      </time>
    </li>
  );
}
