import { Bot } from "lucide-react";
import { useState } from "react";
import { classNames } from "../base/class-names.ts";
import { useTexts } from "../texts/texts.tsx";
import { IconButton } from "../ui/button.tsx";
import { Choice } from "../ui/choice.tsx";
import { Popover } from "../ui/popover.tsx";
import { useView } from "./view.tsx";

const botValues = ["exclude", "include", "only"] as const;

/** Whether bots count: the choices, the chosen one, and how to choose another. */
export function useBotChoice() {
  const { analytics } = useTexts();
  const { search, change } = useView();
  return {
    label: analytics.bots,
    value: search.bots ?? "exclude",
    choices: botValues.map((value) => ({ value, label: analytics.botChoices[value] })),
    onChange: (bots: (typeof botValues)[number]) => change({ bots: bots === "exclude" ? undefined : bots }),
  };
}

/** Chooses whether bots count. */
export function CountMenu({ className }: { className?: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const bots = useBotChoice();
  return (
    <Popover
      trigger={
        <IconButton
          label={bots.label}
          className={classNames(
            "size-9 border border-line bg-surface shadow-card",
            bots.value !== "exclude" && "text-accent",
            className,
          )}
        >
          <Bot aria-hidden />
        </IconButton>
      }
      label={bots.label}
      align="end"
      className="grid w-80 gap-4 p-4"
      isOpen={isOpen}
      onOpenChange={setOpen}
    >
      <div className="grid gap-2">
        <span className="font-medium">{bots.label}</span>
        <Choice {...bots} className="justify-between" />
      </div>
    </Popover>
  );
}
