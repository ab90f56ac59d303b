import { Command } from "cmdk";
import { Check } from "lucide-react";
import { isZoneMatch, offsetText, timeZones } from "../base/time-zones.ts";
import { useTexts } from "../texts/texts.tsx";

const itemClass =
  "flex h-8 cursor-default select-none items-center gap-2 rounded-lg px-2 outline-none data-[selected=true]:bg-sunken";

type TimeZoneListProps = {
  timeZone: string;
  onChoose(timeZone: string): void;
  /** An entry before all zones, such as the browser's. */
  first: { text: string; onChoose(): void };
};

/** A list of the time zones that is searched by typing. */
export function TimeZoneList({ timeZone, onChoose, first }: TimeZoneListProps) {
  const { analytics } = useTexts();
  return (
    <Command
      label={analytics.findTimezone}
      className="mt-1"
      filter={(value, search) => (isZoneMatch(value, search) ? 1 : 0)}
    >
      <Command.Input
        autoFocus
        aria-label={analytics.findTimezone}
        placeholder={analytics.findTimezone}
        className="h-9 w-full rounded-lg border border-field bg-surface px-3"
      />
      <Command.List className="mt-1 max-h-44 overflow-y-auto">
        <Command.Empty className="p-3 text-center text-muted">{analytics.noTimezone}</Command.Empty>
        <Command.Item value={first.text} onSelect={first.onChoose} className={itemClass}>
          {first.text}
        </Command.Item>
        {timeZones().map((zone) => (
          <Command.Item key={zone} value={zone} onSelect={() => onChoose(zone)} className={itemClass}>
            <span className="min-w-0 grow truncate">{zone.replaceAll("_", " ")}</span>
            {zone === timeZone && <Check className="size-4 text-accent" aria-hidden />}
            {zone !== "UTC" && <span className="tabular text-[13px] text-faint">{offsetText(zone)}</span>}
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  );
}
