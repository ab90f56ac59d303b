import { Monitor, Smartphone, Tablet } from "lucide-react";
import type { LiveClick } from "../api/live-clicks.ts";
import { classNames } from "../base/class-names.ts";
import { displayUrl } from "../base/url-text.ts";
import { IconOrCode } from "../reports/icon-or-code.tsx";
import { useLabels } from "../reports/labels.ts";
import { useView } from "../reports/view.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { ScrollBox } from "../ui/scroll-box.tsx";

const unknown = "Unknown";
const deviceIcons: Record<string, typeof Monitor> = { Desktop: Monitor, Mobile: Smartphone, Tablet };

/** A click as the list of earlier clicks and the live stream both return it. */
type ShownClick = Pick<LiveClick, "click_id" | "link"> & { click: Omit<LiveClick["click"], "ua"> };

/** Hides a column in narrow windows, where its value is shown beside or below the link. */
const wideOnlyClass = "max-lg:hidden";

type RowsProps = { clicks: readonly ShownClick[]; earlierClicks: readonly ShownClick[] };

/** Individual clicks, newest first; those that arrived while the page was open are highlighted. */
export function LiveRows({ clicks, earlierClicks }: RowsProps) {
  const { analytics } = useTexts();
  const { liveColumns } = analytics;
  if (clicks.length + earlierClicks.length === 0) {
    return (
      <div className="grid gap-1 px-5 py-10 text-center">
        <p className="font-medium">{analytics.liveEmpty}</p>
        <p className="text-[13px] text-muted">{analytics.liveEmptyHint}</p>
      </div>
    );
  }
  return (
    <ScrollBox label={analytics.clicks} className="max-h-80">
      <table className="w-full table-fixed whitespace-nowrap text-[13px]">
        <thead className="sticky top-0 z-10 bg-surface text-left text-xs text-faint max-lg:sr-only">
          <tr className="[&>th]:px-3 [&>th]:py-2 [&>th]:font-medium [&>th:first-child]:pl-5">
            <th scope="col" className={classNames("w-28", wideOnlyClass)}>
              {liveColumns.time}
            </th>
            <th scope="col">{liveColumns.link}</th>
            <th scope="col" className={classNames("w-[21%]", wideOnlyClass)}>
              {liveColumns.place}
            </th>
            <th scope="col" className={classNames("w-[17%]", wideOnlyClass)}>
              {liveColumns.source}
            </th>
            <th scope="col" className={classNames("w-[23%]", wideOnlyClass)}>
              {liveColumns.device}
            </th>
          </tr>
        </thead>
        <tbody aria-live="polite" aria-relevant="additions">
          {clicks.map((click) => (
            <ClickRow key={click.click_id} click={click} isNew />
          ))}
          {earlierClicks.map((click) => (
            <ClickRow key={click.click_id} click={click} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function ClickRow({ click: { link, click }, isNew = false }: { click: ShownClick; isNew?: boolean }) {
  const { analytics } = useTexts();
  const { timeLabels } = useView();
  const labels = useLabels();
  const { country, city, refererGroup, browser, os, device, bot, trigger } = click;
  const Icon = deviceIcons[device] ?? Monitor;
  const place = city === unknown ? labels.ofValue("country", country).text : city;
  const isScan = trigger === "qr";
  const referrer = labels.ofValue("refererGroup", refererGroup);
  const source = isScan ? <Badge>{analytics.triggerNames.qr}</Badge> : referrer.text;
  const browserAndOs = [browser, os].filter((name) => name !== unknown).join(" · ") || analytics.unknown;
  const time = <time dateTime={click.timestamp}>{timeLabels.clock(click.timestamp)}</time>;
  const botBadge = bot !== null && <Badge tone="warning">{labels.ofValue("bot", bot).text}</Badge>;
  return (
    <tr
      className={classNames(
        "border-t border-line [&>td]:px-3 [&>td]:py-1.5 [&>td:first-child]:pl-5",
        isNew && "bg-accent-soft/50 appear-fade",
      )}
    >
      <td className={classNames("text-muted tabular", wideOnlyClass)}>{time}</td>
      <td className="truncate font-medium">
        <span className="flex items-baseline justify-between gap-3">
          <span className="truncate">{displayUrl(link.shortLink)}</span>
          <span className="shrink-0 text-xs font-normal text-muted tabular lg:hidden">{time}</span>
        </span>
        <span className="mt-0.5 flex items-center gap-1 text-xs font-normal text-muted lg:hidden">
          <span className="max-w-2/5 shrink-0 truncate">{place}</span>
          <Dot />
          <span className="min-w-0 truncate">{source}</span>
          <Dot />
          {/* Cut before the source, whose short names would be left with one letter. */}
          <span className="min-w-10 shrink-[999] truncate">{browserAndOs}</span>
          {botBadge}
        </span>
      </td>
      <td className={wideOnlyClass}>
        <span className="flex items-center gap-2">
          {country !== unknown && <IconOrCode {...labels.ofValue("country", country)} />}
          <span className="truncate">{place}</span>
        </span>
      </td>
      <td className={wideOnlyClass}>
        <span className="flex items-center gap-2">
          {!isScan && <IconOrCode {...referrer} />}
          <span className="truncate">{source}</span>
        </span>
      </td>
      <td className={wideOnlyClass}>
        <span className="flex items-center gap-2 text-muted">
          <Icon className="size-4 shrink-0 text-faint" aria-hidden />
          <span className="truncate">{browserAndOs}</span>
          {botBadge}
        </span>
      </td>
    </tr>
  );
}

function Dot() {
  return <span aria-hidden>·</span>;
}
