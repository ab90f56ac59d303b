import { X } from "lucide-react";
import { lazy, Suspense, useRef } from "react";
import { useWorkspace } from "../api/workspace.tsx";
import { useShortcuts } from "../keyboard/use-shortcuts.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { IconButton } from "../ui/button.tsx";
import { Checkbox } from "../ui/checkbox.tsx";
import type { BulkActions } from "./link-actions.ts";
import type { ListState } from "./link-list.tsx";

/** Loaded with the first selection. */
const BulkButtons = lazy(async () => ({ default: (await import("./bulk-buttons.tsx")).BulkButtons }));

type ListBarProps = {
  state: ListState;
  count: number;
  actions: BulkActions;
  /** True while no dialog covers the list, so that it handles shortcuts. */
  isActive: boolean;
};

/** The bar above the list: the number of links, or the actions on the selected ones. */
export function ListBar({ state, count, actions, isActive }: ListBarProps) {
  const { links } = useTexts();
  const format = useFormat();
  const { canWrite } = useWorkspace();
  const { selected, choose, clear, drop } = state.selection;
  // Uses the current state of selected links that are still loaded; others may have changed them.
  const fresh = new Map(selected.size === 0 ? [] : state.loaded().map((link) => [link.id, link]));
  const chosen = [...selected.values()].map((link) => fresh.get(link.id) ?? link);
  const buttons = useRef<HTMLDivElement>(null);
  const canChange = isActive && canWrite && selected.size > 0;
  useShortcuts({ m: () => actions.move(chosen, drop), t: () => actions.tag(chosen, drop) }, canChange);
  // From a row, the buttons are many presses of Tab away.
  useShortcuts({ a: () => buttons.current?.querySelector("button")?.focus() }, isActive && selected.size > 0);
  const isAll = selected.size > 0 && selected.size >= Math.min(count, state.loaded().length);
  return (
    <div className="sticky top-[53px] z-20 flex min-h-12 items-center gap-3 rounded-t-xl border-b border-line bg-surface px-3 sm:px-4 md:top-0">
      <Checkbox
        label={links.list.selectLoaded}
        // The count can be known before the first links are.
        isDisabled={state.loaded().length === 0}
        checked={selected.size === 0 ? false : isAll ? true : "indeterminate"}
        onChange={() => (selected.size > 0 ? clear() : choose(state.loaded()))}
      />
      <p className="min-w-0 truncate text-[13px] font-medium text-muted" role="status">
        {selected.size === 0 ? (
          links.list.count(count, format.number(count))
        ) : (
          <>
            {/* On a phone, the buttons leave room for the number only. */}
            <span className="max-sm:sr-only">{links.list.selected(selected.size, format.number(selected.size))}</span>
            <span className="sm:hidden" aria-hidden>
              {format.number(selected.size)}
            </span>
          </>
        )}
      </p>
      {selected.size > 0 && (
        <div ref={buttons} className="ml-auto flex items-center sm:gap-1">
          <Suspense fallback={null}>
            <BulkButtons links={chosen} actions={actions} canWrite={canWrite} onDone={drop} />
          </Suspense>
          <IconButton label={links.bulk.clear} onClick={clear}>
            <X />
          </IconButton>
        </div>
      )}
    </div>
  );
}
