import { useQueryClient } from "@tanstack/react-query";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { ToldText } from "../ui/told.tsx";
import { shortLinkParts } from "./link-text.ts";
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
  const refresh = useRefreshLinks();
  async function turn(links: readonly Link[], archived: boolean, undo?: () => void, onDone?: Done): Promise<void> {
    const ids = links.map((link) => link.id);
    paintLinks(queries, id, new Map(ids.map((linkId) => [linkId, { archived }])));
    try {
      await changeLinks(api, ids, { archived }, () => {});
    } catch (error) {
      // Of these links alone: others may have been changed since.
      paintLinks(queries, id, new Map(links.map((link) => [link.id, { archived: link.archived }])));
      notify({ kind: "failed", text: <NotChanged links={links} error={error} /> });
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
    const turned = links.filter((link) => link.archived !== archived).map((link) => ({ ...link, archived }));
    const undo = turned.length === 0 ? undefined : () => void turn(turned, !archived);
    await turn(links, archived, undo, onDone);
  };
}

/** Which links could not be changed, and why: their rows look as if nothing had been asked. */
function NotChanged({ links, error }: { links: readonly Link[]; error: unknown }) {
  const { bulk } = useTexts().links;
  const format = useFormat();
  const [link] = links;
  const { host, key } = shortLinkParts(link?.shortLink ?? "");
  return (
    <>
      {bulk.notChanged(links.length, links.length === 1 ? `${host}${key}` : format.number(links.length))}{" "}
      <ToldText error={error} />
    </>
  );
}
