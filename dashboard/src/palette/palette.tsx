import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { CornerDownLeft, Link2, LoaderCircle, Search } from "lucide-react";
import { Dialog } from "radix-ui";
import { useState } from "react";
import type { Schemas } from "../../../sdk/client.ts";
import { rootKey, shortLinkParts } from "../api/short-link.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Kbd } from "../ui/badge.tsx";
import { type Entry, useEntries } from "./use-entries.tsx";
import { useFirstSelected } from "./use-first-selected.ts";
import { useFoundLinks } from "./use-found-links.ts";

const itemClass =
  "flex cursor-default select-none items-center gap-3 rounded-lg px-3 py-2 data-[selected=true]:bg-sunken [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint";
const groupClass =
  "[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:pt-3 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-faint";

/** A dialog to find links, pages and actions by typing a few letters. */
export function Palette({ onClose }: { onClose(): void }) {
  const { shell } = useTexts();
  const [text, setText] = useState("");
  const groups = useEntries();
  const found = useFoundLinks(text);
  const selection = useFirstSelected();
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-50 bg-black/45 appear-fade" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-x-3 top-[max(0.75rem,12dvh)] z-50 mx-auto max-w-xl overflow-hidden rounded-2xl border border-line bg-surface shadow-raised appear-rise"
        >
          <Dialog.Title className="sr-only">{shell.palette.title}</Dialog.Title>
          <Command
            {...selection.command}
            label={shell.palette.title}
            loop
            className="flex max-h-[min(32rem,76dvh)] flex-col"
          >
            <div className="flex items-center gap-3 border-b border-line px-4">
              <Search className="size-4 shrink-0 text-faint" aria-hidden />
              <Command.Input
                value={text}
                onValueChange={(typed) => {
                  selection.reset();
                  setText(typed);
                }}
                placeholder={shell.palette.searchHint}
                className="h-12 w-full min-w-0 bg-transparent text-[15px] outline-none"
              />
              <Kbd>Esc</Kbd>
            </div>
            <Command.List
              {...selection.list}
              className="grow overflow-y-auto overscroll-contain p-2 pt-0"
              label={shell.palette.title}
            >
              <FoundLinks text={text} found={found} onClose={onClose} />
              {groups.map(({ title, entries }) => (
                <Command.Group key={title} heading={title} className={groupClass}>
                  {entries.map((entry) => (
                    <EntryItem key={entry.id} entry={entry} onClose={onClose} />
                  ))}
                </Command.Group>
              ))}
              {found.isFetching || (
                <Command.Empty className="px-3 py-8 text-center text-muted">
                  {shell.palette.nothing(text)}
                </Command.Empty>
              )}
            </Command.List>
          </Command>
          <Keys />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function EntryItem({ entry: { id, text, hint, icon: Icon, run }, onClose }: { entry: Entry; onClose(): void }) {
  return (
    <Command.Item
      value={id}
      keywords={hint === undefined ? [text] : [text, hint]}
      className={itemClass}
      onSelect={() => {
        onClose();
        run();
      }}
    >
      <Icon aria-hidden />
      <span className="min-w-0 grow truncate">{text}</span>
      {hint && <span className="text-[13px] text-faint">{hint}</span>}
    </Command.Item>
  );
}

type FoundProps = { text: string; found: ReturnType<typeof useFoundLinks>; onClose(): void };

function FoundLinks({ text, found: { links, isFetching }, onClose }: FoundProps) {
  const { palette } = useTexts().shell;
  if (text.trim() === "") return null;
  return (
    <>
      {isFetching && links.length === 0 && (
        <p className="flex items-center gap-3 px-3 pt-4 text-muted">
          <LoaderCircle className="size-4 animate-spin" aria-hidden />
          {palette.searching}
        </p>
      )}
      {links.length > 0 && (
        <Command.Group heading={palette.foundLinks} className={groupClass}>
          {links.map((link) => (
            <LinkItem key={link.id} link={link} text={text} onClose={onClose} />
          ))}
        </Command.Group>
      )}
    </>
  );
}

type FoundLink = Pick<Schemas["Link"], "id" | "domain" | "key" | "shortLink" | "url" | "clicks">;

/** The server also searches fields that are not shown. With the search text in its value, cmdk keeps every result. */
function LinkItem({ link, text, onClose }: { link: FoundLink; text: string; onClose(): void }) {
  const format = useFormat();
  const { id } = useWorkspace();
  const navigate = useNavigate();
  const { host, key } = shortLinkParts(link.shortLink);
  return (
    <Command.Item
      value={`${text} ${link.id}`}
      className={itemClass}
      onSelect={() => {
        onClose();
        const params = { workspaceId: String(id) };
        const search = link.key === rootKey ? link.domain : `${link.domain}/${link.key}`;
        void navigate({ to: "/w/$workspaceId/links", params, search: { search } });
      }}
    >
      <Link2 aria-hidden />
      <span className="min-w-0 grow">
        <span className="block truncate font-medium">{`${host}${key}`}</span>
        <span className="block truncate text-[13px] text-muted">{link.url}</span>
      </span>
      <span className="tabular text-[13px] text-faint">{format.number(link.clicks)}</span>
    </Command.Item>
  );
}

function Keys() {
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
    </p>
  );
}
