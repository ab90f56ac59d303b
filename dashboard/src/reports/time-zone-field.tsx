import { Globe } from "lucide-react";
import { useState } from "react";
import { browserTimeZone } from "../base/time-zones.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { TimeZoneList } from "../ui/time-zone-list.tsx";
import { useView } from "./view.tsx";

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
  const choose = (zone: string | undefined) => {
    change({ timezone: zone });
    onDone();
  };
  const text = analytics.browserTimezone(browserTimeZone().replaceAll("_", " "));
  return <TimeZoneList timeZone={timezone} onChoose={choose} first={{ text, onChoose: () => choose(undefined) }} />;
}
