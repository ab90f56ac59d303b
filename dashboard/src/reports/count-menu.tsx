import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { IconButton } from "../ui/button.tsx";
import { Choice } from "../ui/choice.tsx";
import { Popover } from "../ui/popover.tsx";
import { useView } from "./view.tsx";

const botChoices = ["exclude", "include", "only"] as const;

/** Chooses whether bots count. */
export function CountMenu() {
  const { analytics } = useTexts();
  const { search, change } = useView();
  const [isOpen, setOpen] = useState(false);
  const isUsual = search.bots === undefined;
  return (
    <Popover
      trigger={
        <IconButton
          label={analytics.settings}
          className="size-9 border border-line bg-surface shadow-card data-[usual=false]:text-accent"
          data-usual={isUsual}
        >
          <SlidersHorizontal aria-hidden />
        </IconButton>
      }
      label={analytics.settings}
      align="end"
      className="grid w-80 gap-4 p-4"
      isOpen={isOpen}
      onOpenChange={setOpen}
    >
      <div className="grid gap-2">
        <span className="font-medium">{analytics.bots}</span>
        <Choice
          label={analytics.bots}
          value={search.bots ?? "exclude"}
          onChange={(bots) => change({ bots: bots === "exclude" ? undefined : bots })}
          choices={botChoices.map((value) => ({ value, label: analytics.botChoices[value] }))}
          className="justify-between"
        />
      </div>
    </Popover>
  );
}
