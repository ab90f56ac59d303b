import { useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Kbd } from "../ui/badge.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Switch } from "../ui/switch.tsx";
import { areLettersKeys, keepLettersKeys } from "./letter-keys.ts";

/** TABLE of the keys of the page of links. */
const keys = [
  { keys: ["c"], text: "create" },
  { keys: ["/"], text: "search" },
  { keys: ["↑", "↓"], text: "move" },
  { keys: ["Enter", "e"], text: "open" },
  { keys: ["x"], text: "select" },
  { keys: ["Shift", "x"], text: "selectRange" },
  { keys: ["Esc"], text: "clear" },
  { keys: ["?"], text: "help" },
] as const;

/** Which keys do what. */
export function KeyboardHelp({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const { keyboard } = useTexts().links;
  const [hasLetters, setLetters] = useState(areLettersKeys);
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={keyboard.title} className="max-w-sm">
      <dl className="grid gap-2.5">
        {keys.map(({ keys: pressed, text }) => (
          <div key={text} className="flex items-center justify-between gap-4">
            <dt className="text-muted">{keyboard[text]}</dt>
            <dd className="flex gap-1">
              {pressed.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <div className="mt-4 border-t border-line pt-4">
        <Switch
          label={keyboard.letters}
          hint={keyboard.lettersHint}
          checked={hasLetters}
          onChange={(areOn) => {
            keepLettersKeys(areOn);
            setLetters(areOn);
          }}
        />
      </div>
    </Dialog>
  );
}
