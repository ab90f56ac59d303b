import { useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Kbd } from "../ui/badge.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Switch } from "../ui/switch.tsx";
import { areLetterShortcutsOn, saveLetterShortcuts } from "./letter-shortcuts.ts";

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** TABLE of the shortcuts of every page. */
const everywhere = [
  { keys: [isApple ? "⌘" : "Ctrl", "K"], text: "palette" },
  { keys: ["?"], text: "help" },
  { keys: ["Esc"], text: "close" },
] as const;

/** TABLE of the shortcuts of the links page. */
const onLinks = [
  { keys: ["c"], text: "create" },
  { keys: ["/"], text: "search" },
  { keys: ["↑", "↓"], text: "move" },
  { keys: ["Enter", "e"], text: "open" },
  { keys: ["x"], text: "select" },
  { keys: ["Shift", "x"], text: "selectRange" },
  { keys: ["m"], text: "moveSelected" },
  { keys: ["t"], text: "tagSelected" },
  { keys: ["a"], text: "actions" },
  { keys: ["Esc"], text: "clear" },
] as const;

/** Lists the keyboard shortcuts, and switches those of single letters on or off. */
export function KeyboardHelpDialog({ onClose }: { onClose(): void }) {
  const { shell, links } = useTexts();
  const [hasLetters, setLetters] = useState(areLetterShortcutsOn);
  return (
    <Dialog isOpen onClose={onClose} title={shell.keyboard.title} className="max-w-sm">
      <div className="grid gap-5">
        <Keys
          title={shell.keyboard.everywhere}
          rows={everywhere.map((row) => ({ ...row, text: shell.keyboard[row.text] }))}
        />
        <Keys title={shell.links} rows={onLinks.map((row) => ({ ...row, text: links.keyboard[row.text] }))} />
      </div>
      <div className="mt-4 border-t border-line pt-4">
        <Switch
          label={links.keyboard.letters}
          hint={links.keyboard.lettersHint}
          checked={hasLetters}
          onChange={(areOn) => {
            saveLetterShortcuts(areOn);
            setLetters(areOn);
          }}
        />
      </div>
    </Dialog>
  );
}

type KeysProps = { title: string; rows: readonly { keys: readonly string[]; text: string }[] };

function Keys({ title, rows }: KeysProps) {
  return (
    <section className="grid gap-2.5">
      <h3 className="text-xs font-medium text-faint">{title}</h3>
      <dl className="grid gap-2.5">
        {rows.map(({ keys, text }) => (
          <div key={text} className="flex items-center justify-between gap-4">
            <dt className="text-muted">{text}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
