import { Archive, ArchiveRestore, CirclePause, CirclePlay, FolderInput, Tags, Trash2, X } from "lucide-react";
import type { ReactNode } from "react";
import { useWorkspace } from "../api/workspace.tsx";
import { classNames } from "../base/class-names.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Checkbox } from "../ui/checkbox.tsx";
import type { BulkActions, OnDone } from "./link-actions.ts";
import type { ListState } from "./link-list.tsx";
import type { Link } from "./links-api.ts";
import { isSwitchedOn } from "./use-link-switch.tsx";

/** The bar above the list: the number of links, or the actions on the selected ones. */
export function ListBar({ state, count, actions }: { state: ListState; count: number; actions: BulkActions }) {
  const { links } = useTexts();
  const format = useFormat();
  const { canWrite } = useWorkspace();
  const { selected, choose, clear, drop } = state.selection;
  // Uses the current state of selected links that are still loaded; others may have changed them.
  const fresh = new Map(selected.size === 0 ? [] : state.loaded().map((link) => [link.id, link]));
  const chosen = [...selected.values()].map((link) => fresh.get(link.id) ?? link);
  const isAll = selected.size > 0 && selected.size >= Math.min(count, state.loaded().length);
  return (
    <div className="sticky top-[53px] z-20 flex min-h-12 items-center gap-3 rounded-t-xl border-b border-line bg-surface px-3 sm:px-4 md:top-0">
      <Checkbox
        label={links.list.selectLoaded}
        checked={selected.size === 0 ? false : isAll ? true : "indeterminate"}
        onChange={() => (selected.size > 0 ? clear() : choose(state.loaded()))}
      />
      <p className="min-w-0 truncate text-[13px] font-medium text-muted" role="status">
        {selected.size === 0
          ? links.list.count(count, format.number(count))
          : links.list.selected(selected.size, format.number(selected.size))}
      </p>
      {selected.size > 0 && (
        <div className="ml-auto flex items-center sm:gap-1">
          {canWrite && <BulkButtons links={chosen} actions={actions} onDone={drop} />}
          <IconButton label={links.bulk.clear} onClick={clear}>
            <X />
          </IconButton>
        </div>
      )}
    </div>
  );
}

function BulkButtons({ links, actions, onDone }: { links: Link[]; actions: BulkActions; onDone: OnDone }) {
  const { bulk } = useTexts().links;
  const isArchived = links.every((link) => isSwitchedOn("archived", link));
  const isDisabled = links.every((link) => isSwitchedOn("disabled", link));
  return (
    <>
      <BulkButton label={bulk.tag} icon={<Tags />} onClick={() => actions.tag(links, onDone)} />
      <BulkButton label={bulk.move} icon={<FolderInput />} onClick={() => actions.move(links, onDone)} />
      <BulkButton
        label={isArchived ? bulk.unarchive : bulk.archive}
        icon={isArchived ? <ArchiveRestore /> : <Archive />}
        onClick={() => actions.set("archived", links, !isArchived, onDone)}
      />
      <BulkButton
        label={isDisabled ? bulk.enable : bulk.disable}
        icon={isDisabled ? <CirclePlay /> : <CirclePause />}
        onClick={() => actions.set("disabled", links, !isDisabled, onDone)}
      />
      <BulkButton label={bulk.delete} icon={<Trash2 />} isDangerous onClick={() => actions.remove(links, onDone)} />
    </>
  );
}

type BulkButtonProps = { label: string; icon: ReactNode; isDangerous?: boolean; onClick(): void };

function BulkButton({ label, icon, isDangerous = false, onClick }: BulkButtonProps) {
  return (
    <Button
      variant="quiet"
      size="small"
      onClick={onClick}
      className={classNames("max-lg:px-2", isDangerous && "text-danger hover:text-danger")}
    >
      {icon}
      <span className="sr-only lg:not-sr-only">{label}</span>
    </Button>
  );
}
