import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { LoaderCircle, Plus, Search, TriangleAlert } from "lucide-react";
import type { Schemas } from "../../../sdk/client.ts";
import { rememberLink } from "../api/recent-links.ts";
import { compactUrl, isWebPage, shortLinkParts } from "../api/short-link.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useFolders } from "../links/links-api.ts";
import { textCharactersMax } from "../links/links-search.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { DestinationIcon } from "../ui/destination-icon.tsx";
import { groupClass, itemClass } from "./item-classes.ts";
import { matchReason } from "./match-reason.ts";
import { type useFoundLinks, withoutScheme } from "./use-found-links.ts";

/** A link as the palette shows it. */
export type PaletteLink = Schemas["Link"];

/** The value by which cmdk knows a link's item; it contains the search text, so that cmdk keeps every result. */
export function linkValue(link: PaletteLink, text: string): string {
  return `${text} ${link.id}`.trim();
}

type ItemsProps = { text: string; onClose(): void };

/** Links to continue with, before anything is typed. */
export function RecentLinks({ links, onClose }: { links: PaletteLink[]; onClose(): void }) {
  const { palette } = useTexts().shell;
  if (links.length === 0) return null;
  return (
    <Command.Group heading={palette.recentLinks} className={groupClass}>
      {links.map((link) => (
        <LinkItem key={link.id} link={link} text="" onClose={onClose} />
      ))}
    </Command.Group>
  );
}

/** Says that links are searched, while none is shown yet. */
export function Searching({ found: { links, isFetching, isFailed } }: { found: ReturnType<typeof useFoundLinks> }) {
  const { palette } = useTexts().shell;
  const isShown = isFetching && !isFailed && links.length === 0;
  return (
    <p role="status" className="flex items-center gap-3 px-5 pt-4 text-muted empty:hidden">
      {isShown && <LoaderCircle className="size-4 animate-spin motion-reduce:animate-none" aria-hidden />}
      {isShown && palette.searching}
    </p>
  );
}

type FoundProps = ItemsProps & { found: ReturnType<typeof useFoundLinks> };

/** The links that match, and a way to see all of them in the list; or why they could not be searched. */
export function FoundLinks({ text, found, onClose }: FoundProps) {
  const { palette } = useTexts().shell;
  const { links, isFailed, retry } = found;
  if (isFailed) {
    return (
      <Command.Group heading={palette.foundLinks} className={groupClass} forceMount>
        <Command.Item value={`${text} retry`} forceMount className={itemClass} onSelect={retry}>
          <span className="grid w-7 place-items-center">
            <TriangleAlert aria-hidden />
          </span>
          {palette.failed}
        </Command.Item>
      </Command.Group>
    );
  }
  if (links.length === 0) return null;
  return (
    <Command.Group heading={palette.foundLinks} className={groupClass}>
      {links.map((link) => (
        <LinkItem key={link.id} link={link} text={text} onClose={onClose} />
      ))}
      <AllResults text={text} onClose={onClose} />
    </Command.Group>
  );
}

/** Offers to create a link to a pasted or typed URL. */
export function CreateLinkTo({ text, onClose }: ItemsProps) {
  const { palette } = useTexts().shell;
  const { id, canWrite } = useWorkspace();
  const navigate = useNavigate();
  const url = text.trim();
  if (!canWrite || url.length > textCharactersMax || !isWebPage(url)) return null;
  const open = () => {
    onClose();
    const search = { create: true, url } as const;
    void navigate({ to: "/w/$workspaceId/links", params: { workspaceId: String(id) }, search });
  };
  return (
    // A group, since cmdk would show a single item before all groups.
    <Command.Group value="create link to">
      <Command.Item value={`${text} new link`} className={itemClass} onSelect={open}>
        <span className="grid w-7 place-items-center">
          <Plus aria-hidden />
        </span>
        <span dir="auto" className="min-w-0 truncate">
          {palette.createLinkTo(compactUrl(url))}
        </span>
      </Command.Item>
    </Command.Group>
  );
}

function AllResults({ text, onClose }: ItemsProps) {
  const { palette } = useTexts().shell;
  const { id } = useWorkspace();
  const navigate = useNavigate();
  return (
    <Command.Item
      value={`${text} all links`}
      className={itemClass}
      onSelect={() => {
        onClose();
        void navigate({
          to: "/w/$workspaceId/links",
          params: { workspaceId: String(id) },
          search: { search: text.trim() },
        });
      }}
    >
      <span className="grid w-7 place-items-center">
        <Search aria-hidden />
      </span>
      <span dir="auto" className="min-w-0 truncate text-muted">
        {palette.allResults(text.trim())}
      </span>
    </Command.Item>
  );
}

function LinkItem({ link, text, onClose }: ItemsProps & { link: PaletteLink }) {
  const format = useFormat();
  const { id } = useWorkspace();
  const navigate = useNavigate();
  const { links, shell } = useTexts();
  const { host, path } = shortLinkParts(link.shortLink);
  const destination = link.url === "" ? links.list.noDestination : compactUrl(link.url);
  const { data: folders = [] } = useFolders();
  const folder = folders.find((each) => each.id === link.folderId)?.name;
  const reason = text === "" ? undefined : matchReason(link, withoutScheme(text), folder);
  return (
    <Command.Item
      value={linkValue(link, text)}
      className={itemClass}
      onSelect={() => {
        onClose();
        rememberLink(id, link.id);
        void navigate({ to: "/w/$workspaceId/links", params: { workspaceId: String(id) }, search: { edit: link.id } });
      }}
    >
      <DestinationIcon link={link} className="size-7 rounded-md text-xs" />
      <span className="min-w-0 grow">
        <span dir="auto" className="block truncate text-left font-medium">
          {link.title ?? `${host}${path}`}
        </span>
        <span className="block truncate text-[13px] text-muted">
          {link.title === null ? destination : `${host}${path} → ${destination}`}
        </span>
        {reason && (
          <span dir="auto" className="block truncate text-left text-[13px] text-muted">
            {shell.palette.reasons[reason.kind]}: {reason.text}
          </span>
        )}
      </span>
      <span className="tabular text-[13px] text-faint">
        {format.number(link.clicks)}
        <span className="sr-only"> {links.list.clicks(link.clicks)}</span>
      </span>
    </Command.Item>
  );
}
