import { Command } from "cmdk";
import { Check, Globe } from "lucide-react";
import { useState } from "react";
import { isZoneMatch, timeZones } from "../base/time-zones.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { browserTimeZone, useView } from "./view.tsx";

const itemClass =
  "flex h-8 cursor-default select-none items-center gap-2 rounded-lg px-2 outline-none data-[selected=true]:bg-sunken";

/** Chooses the time zone of hours, days and months. */
export function TimeZoneField() {
  const { analytics } = useTexts();
  const { timezone } = useView();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="border-t border-line p-1.5">
      <Button
        variant="quiet"
        size="small"
        aria-expanded={isOpen}
        className="w-full justify-start px-2.5"
        onClick={() => setOpen(!isOpen)}
      >
        <Globe aria-hidden />
        <span>{analytics.timezone}</span>
        <span className="ml-auto truncate text-ink">{timezone.replaceAll("_", " ")}</span>
      </Button>
      {isOpen && <TimeZones onDone={() => setOpen(false)} />}
    </div>
  );
}

function TimeZones({ onDone }: { onDone(): void }) {
  const { analytics } = useTexts();
  const { timezone, change } = useView();
  const ownText = analytics.browserTimezone(browserTimeZone().replaceAll("_", " "));
  const choose = (zone: string | undefined) => {
    change({ timezone: zone });
    onDone();
  };
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
        <Command.Item value={ownText} onSelect={() => choose(undefined)} className={itemClass}>
          {ownText}
        </Command.Item>
        {timeZones().map((zone) => (
          <Command.Item key={zone} value={zone} onSelect={() => choose(zone)} className={itemClass}>
            <span className="grow">{zone.replaceAll("_", " ")}</span>
            {zone === timezone && <Check className="size-4 text-accent" aria-hidden />}
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  );
}
