import { shortLinkParts } from "../api/short-link.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { ErrorText } from "../ui/error-text.tsx";
import { useNotify, useWithoutActions } from "../ui/toasts.tsx";
import { changeLinks, type Link, type LinkChange } from "./links-api.ts";
import { useUndo } from "./use-undo.tsx";

type BulkChange = {
  links: readonly Link[];
  /** Prepares the change. */
  read(): Promise<readonly LinkChange[]>;
  /** The message after the change. */
  doneText: string;
};

/**
 * Returns a function that changes links, and offers to undo that in the message that reports it. When a later batch
 * fails, the message says how many links were changed, and undoes those. No other undo is offered while it runs.
 * Resolves with the links that are now as requested. Throws the error when no link was changed.
 */
export function useBulkChange(): (change: BulkChange) => Promise<readonly Link[]> {
  const { api } = useWorkspace();
  const notify = useNotify();
  const withoutActions = useWithoutActions();
  const undo = useUndo();
  return async ({ links, read, doneText }) => {
    const { changes, result } = await withoutActions(async () => {
      const changes = await read();
      return { changes, result: await changeLinks(api, changes) };
    });
    const { made, changedIds, error } = result;
    if (error === undefined) {
      notify({ kind: "done", text: doneText, ...undo(made) });
      // Links that already were as requested are not in the result.
      return links;
    }
    if (changedIds.size === 0) throw error;
    const total = changes.reduce((sum, { links }) => sum + links.length, 0);
    const text = <PartlyChanged changed={changedIds.size} total={total} error={error} />;
    notify({ kind: "failed", text, ...undo(made) });
    return links.filter(({ id }) => changedIds.has(id));
  };
}

function PartlyChanged({ changed, total, error }: { changed: number; total: number; error: unknown }) {
  const { bulk } = useTexts().links;
  const format = useFormat();
  return (
    <>
      {bulk.partlyChanged(format.number(changed), format.number(total))} <ErrorText error={error} />
    </>
  );
}

/** Names the links that could not be changed, and the reason, for a message. */
export function NotChanged({ links, error }: { links: readonly Link[]; error: unknown }) {
  const { bulk } = useTexts().links;
  const format = useFormat();
  const [link] = links;
  const { host, path } = shortLinkParts(link?.shortLink ?? "");
  return (
    <>
      {bulk.notChanged(links.length, links.length === 1 ? `${host}${path}` : format.number(links.length))}{" "}
      <ErrorText error={error} />
    </>
  );
}
