import { useQueryClient } from "@tanstack/react-query";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { isDisabled } from "./disabled-badge.tsx";
import type { LinkSwitch, OnDone } from "./link-actions.ts";
import { type Link, showPendingChanges, updateCachedLinks, useRefreshLinks } from "./links-api.ts";
import { NotChanged, useBulkChange } from "./use-bulk-change.tsx";

/** Sets a switch of links. `onDone` is called after the change, not after its undo. */
type SetLinkSwitch = (name: LinkSwitch, links: readonly Link[], isOn: boolean, onDone?: OnDone) => Promise<void>;

/** TABLE of the switches: their state in a link, and the fields that show it. */
const switches = {
  archived: {
    isOn: (link: Link) => link.archived,
    fields: ({ archived }: Link) => ({ archived }),
    cachedChanges: (isOn: boolean) => ({ archived: isOn }),
  },
  disabled: {
    isOn: (link: Link) => isDisabled(link),
    fields: ({ disabledAt }: Link) => ({ disabledAt }),
    cachedChanges: (isOn: boolean) => ({ disabledAt: isOn ? new Date().toISOString() : null }),
  },
} as const;

/** True while a switch of a link is on. */
export function isSwitchedOn(name: LinkSwitch, link: Link): boolean {
  return switches[name].isOn(link);
}

/** Archives or disables links, or reverses that. The list shows the change at once; a failed call restores the rows. */
export function useLinkSwitch(): SetLinkSwitch {
  const { bulk } = useTexts().links;
  const format = useFormat();
  const { id } = useWorkspace();
  const queries = useQueryClient();
  const notify = useNotify();
  const change = useBulkChange();
  const refresh = useRefreshLinks();
  return async (name, links, isOn, onDone) => {
    const { fields, cachedChanges } = switches[name];
    const doneText = bulk.switched[name][isOn ? "on" : "off"](links.length, format.number(links.length));
    // Only links that were not changed are restored; others may have changed since.
    const restore = (unchanged: readonly Link[]) =>
      updateCachedLinks(queries, id, new Map(unchanged.map((link) => [link.id, fields(link)])));
    const pending = showPendingChanges(queries, id, new Map(links.map((link) => [link.id, cachedChanges(isOn)])));
    try {
      const read = async () => [{ links, data: { [name]: isOn } }];
      const changed = await change({ links, read, doneText }).finally(pending.end);
      restore(links.filter((link) => !changed.includes(link)));
      onDone?.(changed);
    } catch (error) {
      restore(links);
      notify({ kind: "failed", text: <NotChanged links={links} error={error} /> });
    }
    // After a failure too: a batch without an answer may have been changed.
    await refresh();
  };
}
