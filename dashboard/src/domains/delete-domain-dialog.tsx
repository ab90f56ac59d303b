import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answerOf } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { domainKey, domainsKey, useLinkCount } from "./domain-queries.ts";
import type { Domain } from "./domain-state.ts";

type DeleteProps = { domain: Domain; isOpen: boolean; onClose(): void; onDeleted?: () => void };

/** Deletes a domain and its links, after the person has typed its name. */
export function DeleteDomainDialog({ domain: { slug }, isOpen, onClose, onDeleted }: DeleteProps) {
  const { domains } = useTexts();
  const format = useFormat();
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  const notify = useNotify();
  const links = useLinkCount(slug);
  const deletion = useMutation({
    mutationFn: () => answerOf(api.DELETE("/domains/{slug}", { params: { path: { slug } } })),
    async onSuccess() {
      onClose();
      onDeleted?.();
      notify({ kind: "done", text: domains.deleted(slug) });
      await queries.invalidateQueries({ queryKey: [...domainsKey(id), "list"] });
      await queries.invalidateQueries({ queryKey: [id, "links"] });
      queries.removeQueries({ queryKey: domainKey(id, slug) });
    },
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={domains.deleteTitle(slug)}
      action={domains.deleteIt}
      onConfirm={() => deletion.mutate()}
      isBusy={deletion.isPending}
      error={deletion.error}
      textToType={slug}
    >
      {links !== undefined && <p>{domains.deleteText(links, domains.links(links, format.number(links)))}</p>}
      <p className="font-medium text-ink">{domains.deleteForGood}</p>
    </ConfirmDialog>
  );
}
