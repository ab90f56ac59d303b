import { useQueryClient } from "@tanstack/react-query";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { useNotify, useNotifyFailure } from "../ui/toasts.tsx";
import { changeLinks, type Link, paintLinks, useRefreshLinks } from "./links-api.ts";
import type { Done } from "./row-menu.tsx";

/**
 * Archives links, or takes them back: seen at once, put back where it fails, and with a way to undo it. `onDone` hears
 * that it was done, and not that it was undone.
 */
export function useArchive() {
  const { links: texts } = useTexts();
  const format = useFormat();
  const { id, api } = useWorkspace();
  const queries = useQueryClient();
  const notify = useNotify();
  const notifyFailure = useNotifyFailure();
  const refresh = useRefreshLinks();
  async function turn(links: readonly Link[], archived: boolean, undo?: () => void, onDone?: Done): Promise<void> {
    const ids = links.map((link) => link.id);
    const unpaint = paintLinks(queries, id, new Set(ids), (link) => ({ ...link, archived }));
    try {
      await changeLinks(api, ids, { archived }, () => {});
    } catch (error) {
      unpaint();
      notifyFailure(error);
      // Of many links the first batches may be changed all the same.
      await refresh();
      return;
    }
    onDone?.(links);
    const count = format.number(ids.length);
    notify({
      kind: "done",
      text: archived ? texts.bulk.archived(ids.length, count) : texts.bulk.unarchived(ids.length, count),
      ...(undo && { action: { label: texts.bulk.undo, run: undo } }),
    });
    await refresh();
  }
  return async (links: readonly Link[], archived: boolean, onDone?: Done): Promise<void> => {
    // Those that were so before stay so when it is undone.
    const turned = links.filter((link) => link.archived !== archived);
    const undo = turned.length === 0 ? undefined : () => void turn(turned, !archived);
    await turn(links, archived, undo, onDone);
  };
}
