import { Command } from "cmdk";
import { CornerDownLeft, Search, SearchX, X } from "lucide-react";
import { Dialog } from "radix-ui";
import { type KeyboardEvent, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Kbd } from "../ui/badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { copyText } from "../ui/copy-button.tsx";
import { returnFocus } from "../ui/focus-return.ts";
import { useNotify } from "../ui/toasts.tsx";
import { groupClass, itemClass } from "./item-classes.ts";
import { CreateLinkTo, FoundLinks, linkValue, type PaletteLink, RecentLinks, Searching } from "./link-items.tsx";
import { matchScore } from "./match-score.ts";
import { type Entry, type EntryGroup, useEntries } from "./use-entries.tsx";
import { useFirstSelected } from "./use-first-selected.ts";
import { useFoundLinks } from "./use-found-links.ts";
import { useRecentLinks } from "./use-recent-links.ts";

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

type PaletteProps = {
  /** The text that was typed before the palette appeared. */
  typed: string;
  onClose(): void;
};

/** A dialog to find links, pages and actions by typing a few letters. */
export function Palette({ typed, onClose }: PaletteProps) {
  const { shell, words } = useTexts();
  const [text, setText] = useState(typed);
  const isEmpty = text.trim() === "";
  const groups = useEntries().filter(({ isRare }) => !isEmpty || !isRare);
  const found = useFoundLinks(text);
  const recent = useRecentLinks();
  const selection = useFirstSelected();
  const copy = useCopyLink(isEmpty ? recent : found.links, text);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-50 bg-black/45 appear-fade" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusInput}
          onCloseAutoFocus={returnFocus}
          className="fixed inset-x-3 top-[max(0.75rem,12dvh)] z-50 mx-auto max-w-xl overflow-hidden rounded-2xl border border-line bg-surface shadow-raised appear-rise"
        >
          <Dialog.Title className="sr-only">{shell.palette.title}</Dialog.Title>
          <Command
            {...selection.command}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) copy(event, selection.command.value);
              else selection.command.onKeyDown(event);
            }}
            label={shell.palette.title}
            filter={scoreOf}
            loop
            className="flex max-h-[min(32rem,76dvh)] flex-col"
          >
            <div className="flex items-center gap-3 border-b border-line px-4">
              <Search className="size-4 shrink-0 text-faint" aria-hidden />
              <Command.Input
                value={text}
                onValueChange={(next) => {
                  selection.reset();
                  setText(next);
                }}
                placeholder={shell.palette.searchHint}
                className="h-12 w-full min-w-0 bg-transparent text-[15px] outline-none"
              />
              <span className="max-sm:hidden">
                <Kbd>Esc</Kbd>
              </span>
              <IconButton label={words.close} onClick={onClose} className="-mr-2 sm:hidden">
                <X />
              </IconButton>
            </div>
            {/* Beside the list, which may only contain options. */}
            <Searching found={found} />
            {found.isFetching || (
              <Command.Empty className="grid justify-items-center gap-1 px-3 py-10 text-center">
                <SearchX className="mb-1 size-5 text-faint" aria-hidden />
                <span className="max-w-full break-words font-medium">{shell.palette.nothing(text.trim())}</span>
                <span className="text-[13px] text-muted">{shell.palette.nothingHint}</span>
              </Command.Empty>
            )}
            <Command.List
              {...selection.list}
              className="grow overflow-y-auto overscroll-contain p-2 pt-0"
              label={shell.palette.title}
            >
              {isEmpty ? (
                <RecentLinks links={recent} onClose={onClose} />
              ) : (
                <>
                  <EntryGroups groups={groups.filter(({ areLists }) => areLists)} onClose={onClose} />
                  <FoundLinks text={text} found={found} onClose={onClose} />
                  <CreateLinkTo text={text} onClose={onClose} />
                </>
              )}
              <EntryGroups groups={groups.filter(({ areLists }) => !areLists)} onClose={onClose} />
            </Command.List>
          </Command>
          <Keys hasLinks={(isEmpty ? recent : found.links).length > 0} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Folders and views that match at all come before the links that are in them, which always have the highest score. */
function scoreOf(value: string, search: string, texts?: string[]): number {
  const score = matchScore(value, search, texts);
  return score > 0 && /^(folder|view) \d+$/.test(value) ? 1 : score;
}

/** Focuses the input without selecting its text, which the person may still be typing. */
function focusInput(event: Event): void {
  if (!(event.currentTarget instanceof HTMLElement)) return;
  const input = event.currentTarget.querySelector("input");
  if (input === null) return;
  event.preventDefault();
  input.focus();
  input.setSelectionRange(input.value.length, input.value.length);
}

/** Copies the short link of the selected link. */
function useCopyLink(links: PaletteLink[], text: string) {
  const { words } = useTexts();
  const notify = useNotify();
  return (event: KeyboardEvent, selected: string) => {
    const link = links.find((each) => linkValue(each, text) === selected);
    if (link === undefined) return;
    event.preventDefault();
    void copyText(link.shortLink).then((isCopied) =>
      notify(isCopied ? { kind: "done", text: words.copied } : { kind: "failed", text: words.notCopied }),
    );
  };
}

function EntryGroups({ groups, onClose }: { groups: EntryGroup[]; onClose(): void }) {
  return groups.map(({ title, entries }) => (
    <Command.Group key={title} heading={title} className={groupClass}>
      {entries.map((entry) => (
        <EntryItem key={entry.id} entry={entry} onClose={onClose} />
      ))}
    </Command.Group>
  ));
}

function EntryItem({ entry, onClose }: { entry: Entry; onClose(): void }) {
  const { id, text, hint, detail, keywords = [], icon: Icon, image, keys, run } = entry;
  return (
    <Command.Item
      value={id}
      keywords={[text, ...(hint === undefined ? [] : [hint]), ...keywords]}
      className={itemClass}
      onSelect={() => {
        onClose();
        run();
      }}
    >
      <span className="grid w-7 place-items-center">
        {image === undefined ? <Icon aria-hidden /> : <img src={image} alt="" className="size-5 rounded" />}
      </span>
      <span className="min-w-0 grow">
        <span dir="auto" className="block truncate text-left">
          {text}
        </span>
        {detail && (
          <span dir="auto" className="block truncate text-left text-[13px] text-muted">
            {detail}
          </span>
        )}
      </span>
      {hint && <span className="text-[13px] text-faint">{hint}</span>}
      {keys && (
        <span className="max-sm:hidden">
          <Kbd>{keys}</Kbd>
        </span>
      )}
    </Command.Item>
  );
}

function Keys({ hasLinks }: { hasLinks: boolean }) {
  const { palette } = useTexts().shell;
  return (
    <p className="hidden items-center gap-4 border-t border-line px-4 py-2 text-xs text-faint sm:flex">
      <span className="flex items-center gap-1.5">
        <Kbd>↑</Kbd>
        <Kbd>↓</Kbd>
        {palette.move}
      </span>
      <span className="flex items-center gap-1.5">
        <Kbd>
          <CornerDownLeft className="inline size-3" aria-label="Enter" />
        </Kbd>
        {palette.choose}
      </span>
      {hasLinks && (
        <span className="flex items-center gap-1.5">
          <Kbd>
            {isApple ? "⌘" : "Ctrl"} <CornerDownLeft className="inline size-3" aria-label="Enter" />
          </Kbd>
          {palette.copy}
        </span>
      )}
    </p>
  );
}
