import { useQueryClient } from "@tanstack/react-query";
import { toldBy } from "../api/problem.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { changeLinks, type Link, paintLinks, useRefreshLinks } from "./links-api.ts";

/** Archives links, or takes them back: seen at once, put back where it fails, and with a way to undo it. */
export function useArchive() {
  const { links: texts, words } = useTexts();
  const format = useFormat();
  const { id, api } = useWorkspace();
  const queries = useQueryClient();
  const notify = useNotify();
  const refresh = useRefreshLinks();
  return async function archive(links: readonly Link[], archived: boolean, isUndo = false): Promise<void> {
    const ids = links.map((link) => link.id);
    // Those that were so before stay so when it is undone.
    const turned = links.filter((link) => link.archived !== archived);
    const unpaint = paintLinks(queries, id, new Set(ids), (link) => ({ ...link, archived }));
    try {
      await changeLinks(api, ids, { archived }, () => {});
    } catch (error) {
      unpaint();
      notify({ kind: "failed", text: toldBy(error)?.message ?? words.serverAway });
      // Of many links the first batches may be changed all the same.
      await refresh();
      return;
    }
    const count = format.number(ids.length);
    notify({
      kind: "done",
      text: archived ? texts.bulk.archived(ids.length, count) : texts.bulk.unarchived(ids.length, count),
      ...(!isUndo &&
        turned.length > 0 && { action: { label: texts.bulk.undo, run: () => void archive(turned, !archived, true) } }),
    });
    await refresh();
  };
}
