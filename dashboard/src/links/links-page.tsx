import { Archive, Keyboard, Link2, Plus, SearchX } from "lucide-react";
import { lazy, type RefObject, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { useWorkspace } from "../api/workspace.tsx";
import { useKeyboardHelp } from "../keyboard/keyboard-help.tsx";
import { useShortcuts } from "../keyboard/use-shortcuts.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Page } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Empty } from "../ui/states.tsx";
import { useScrollsDown } from "../ui/use-scrolls-down.ts";
import { FilterBar } from "./filter-bar.tsx";
import type { BulkAction, OnDone, RowActions } from "./link-actions.ts";
import { LinkList } from "./link-list.tsx";
import { type Link, useLinksCount } from "./links-api.ts";
import {
  filterOf,
  filtersCountOf,
  hasDialog,
  type LinkListQuery,
  listQueryOf,
  withoutFilters,
} from "./links-search.ts";
import { ListBar } from "./list-bar.tsx";
import { ListSkeleton } from "./list-skeleton.tsx";
import { ManageMenu } from "./manage-menu.tsx";
import { useLinkSwitch } from "./use-link-switch.tsx";
import { useLinksSearch } from "./use-links-search.ts";

/** Dialogs over the list are loaded when first opened. */
const LinkDialogs = lazy(async () => ({ default: (await import("./link-dialogs.tsx")).LinkDialogs }));
const BulkDialog = lazy(async () => ({ default: (await import("./bulk-dialog.tsx")).BulkDialog }));

/** The links of the workspace. */
export function LinksPage() {
  const { links } = useTexts();
  const { canWrite } = useWorkspace();
  const { search, change } = useLinksSearch();
  const openHelp = useKeyboardHelp();
  const [action, setAction] = useState<BulkAction>();
  const field = useRef<HTMLInputElement>(null);
  const isActive = !hasDialog(search) && action === undefined;
  const create = () => change({ create: true });
  useShortcuts(
    {
      c: (event) => {
        if (!canWrite) return;
        event.preventDefault();
        create();
      },
      "/": (event) => {
        event.preventDefault();
        field.current?.focus();
      },
    },
    isActive,
  );
  return (
    <Page
      title={links.title}
      actions={
        <>
          <IconButton label={links.keyboard.title} onClick={openHelp} className="max-md:hidden">
            <Keyboard />
          </IconButton>
          <ManageMenu />
          {canWrite && (
            <Button variant="primary" onClick={create} aria-keyshortcuts="c" className="max-sm:hidden">
              <Plus />
              {links.create}
            </Button>
          )}
        </>
      }
    >
      <Listing field={field} isActive={isActive} onAction={setAction} />
      {canWrite && <FloatingCreateButton onClick={create} />}
      <Suspense fallback={null}>
        {hasDialog(search) && <LinkDialogs />}
        {action !== undefined && <BulkDialog action={action} onClose={() => setAction(undefined)} />}
      </Suspense>
    </Page>
  );
}

/**
 * The main action on a phone, in reach of the thumb, above the navigation. It leaves while the page is scrolled down, so
 * that it covers no row that a person reads, and comes back with the first movement up or a keyboard's focus.
 */
function FloatingCreateButton({ onClick }: { onClick(): void }) {
  const { links } = useTexts();
  const scrollsDown = useScrollsDown();
  return (
    <>
      {/* Room below the last row, so that the button does not cover its menu. */}
      <div className="h-12 sm:hidden" />
      <button
        type="button"
        aria-label={links.create}
        onClick={onClick}
        className={`fixed right-4 bottom-20 z-20 grid size-14 place-items-center rounded-2xl bg-accent text-on-accent shadow-raised transition-transform duration-200 hover:bg-accent-strong focus-visible:translate-y-0 sm:hidden [&_svg]:size-6 ${scrollsDown ? "translate-y-40" : ""}`}
      >
        <Plus aria-hidden />
      </button>
    </>
  );
}

type ListingProps = {
  field: RefObject<HTMLInputElement | null>;
  isActive: boolean;
  onAction(action: BulkAction): void;
};

function Listing({ field, isActive, onAction }: ListingProps) {
  const { search, change } = useLinksSearch();
  const setSwitch = useLinkSwitch();
  // A stable object avoids rendering all rows again.
  const latest = useRef(setSwitch);
  useEffect(() => {
    latest.current = setSwitch;
  });
  // Opening a dialog changes the URL, but must not change the list's query.
  const listed = JSON.stringify(listQueryOf(search));
  const query = useMemo((): LinkListQuery => JSON.parse(listed), [listed]);
  const { data: count, error, refetch } = useLinksCount(filterOf(search));
  const actions = useMemo<RowActions>(
    () => ({
      edit: ({ id }) => change({ edit: id }),
      qr: ({ id }) => change({ qr: id }),
      share: ({ id }) => change({ share: id }),
      why: ({ id }) => change({ why: id }),
      history: ({ id }) => change({ history: id }),
      duplicate: ({ id }) => change({ create: true, copy: id }),
      set: (name, links, isOn, onDone) => void latest.current(name, links, isOn, onDone),
      move: (links, onDone) => onAction({ kind: "move", links, onDone }),
      remove: (links, onDone) => onAction({ kind: "remove", links, onDone }),
    }),
    [change, onAction],
  );
  const bulkActions = {
    ...actions,
    tag: (links: readonly Link[], onDone?: OnDone) => onAction({ kind: "tag", links, onDone }),
    zipQrCodes: (links: readonly Link[]) => onAction({ kind: "qrCodes", links }),
  };
  const isNarrowed = search.search !== undefined || filtersCountOf(search) > 0;
  return (
    <>
      {(count !== 0 || isNarrowed) && <FilterBar field={field} />}
      {error !== null && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {error === null && count === undefined && <ListSkeleton />}
      {error === null && count === 0 && (isNarrowed ? <NothingFound /> : <NothingListed />)}
      {error === null && count !== undefined && count > 0 && (
        <LinkList
          key={listed}
          query={query}
          count={count}
          actions={actions}
          isActive={isActive}
          bar={(state) => <ListBar state={state} count={count} actions={bulkActions} isActive={isActive} />}
        />
      )}
    </>
  );
}

function NothingFound() {
  const { links } = useTexts();
  const { search, replace } = useLinksSearch();
  return (
    <Empty
      icon={SearchX}
      title={links.empty.nothingFound}
      action={<Button onClick={() => replace(withoutFilters(search))}>{links.empty.clearFilters}</Button>}
      className="rounded-xl border border-dashed border-line"
    >
      {links.empty.nothingFoundHint}
    </Empty>
  );
}

/** Why the list is empty without a filter: all links are archived, or there are none. */
function NothingListed() {
  const { data: withArchived, isPending } = useLinksCount(filterOf({ archived: true }));
  if (isPending) return <ListSkeleton />;
  return withArchived === undefined || withArchived === 0 ? <NoLinks /> : <AllArchived />;
}

function AllArchived() {
  const { links } = useTexts();
  const { change } = useLinksSearch();
  return (
    <Empty
      icon={Archive}
      title={links.empty.allArchived}
      action={<Button onClick={() => change({ archived: true })}>{links.filters.archived}</Button>}
      className="rounded-xl border border-dashed border-line"
    >
      {links.empty.allArchivedHint}
    </Empty>
  );
}

function NoLinks() {
  const { links } = useTexts();
  const { canWrite } = useWorkspace();
  const { change } = useLinksSearch();
  return (
    <Empty
      icon={Link2}
      title={links.empty.noLinks}
      action={
        canWrite && (
          <Button variant="primary" onClick={() => change({ create: true })}>
            <Plus />
            {links.create}
          </Button>
        )
      }
      className="rounded-xl border border-dashed border-line"
    >
      {canWrite ? links.empty.noLinksHint : links.empty.noLinksForViewers}
    </Empty>
  );
}
