import { useQueryClient } from "@tanstack/react-query";
import { shortLinkParts } from "../api/short-link.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { ErrorText } from "../ui/error-text.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { isDisabled } from "./disabled-badge.tsx";
import type { LinkSwitch, OnDone } from "./link-actions.ts";
import { changeLinks, type Link, updateCachedLinks, useRefreshLinks } from "./links-api.ts";
import { useUndo } from "./use-undo.tsx";

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
  const { links: texts } = useTexts();
  const format = useFormat();
  const { id, api } = useWorkspace();
  const queries = useQueryClient();
  const notify = useNotify();
  const undo = useUndo();
  const refresh = useRefreshLinks();
  return async (name, links, isOn, onDone) => {
    const { fields, cachedChanges } = switches[name];
    updateCachedLinks(queries, id, new Map(links.map((link) => [link.id, cachedChanges(isOn)])));
    try {
      const made = await changeLinks(api, links, { [name]: isOn });
      onDone?.(links);
      const text = texts.bulk.switched[name][isOn ? "on" : "off"](links.length, format.number(links.length));
      notify({ kind: "done", text, ...undo(made) });
    } catch (error) {
      // Only these links are restored; others may have changed since.
      updateCachedLinks(queries, id, new Map(links.map((link) => [link.id, fields(link)])));
      notify({ kind: "failed", text: <NotChanged links={links} error={error} /> });
    }
    // After a failure too: the first batches may have been changed.
    await refresh();
  };
}

/** Names the links that could not be changed, and the reason; their rows look unchanged. */
function NotChanged({ links, error }: { links: readonly Link[]; error: unknown }) {
  const { bulk } = useTexts().links;
  const format = useFormat();
  const [link] = links;
  const { host, key } = shortLinkParts(link?.shortLink ?? "");
  return (
    <>
      {bulk.notChanged(links.length, links.length === 1 ? `${host}${key}` : format.number(links.length))}{" "}
      <ErrorText error={error} />
    </>
  );
}
