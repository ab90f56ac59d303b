import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Archive, ArchiveRestore, Ellipsis, ExternalLink, Star, Trash2 } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import type { paths } from "../../../sdk/schema.d.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { IconButton } from "../ui/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { useNotify, useNotifyFailure } from "../ui/toasts.tsx";
import { DeleteDomainDialog } from "./delete-domain-dialog.tsx";
import { domainsKey } from "./domain-queries.ts";
import { type Domain, domainUrl } from "./domain-state.ts";

/** True when the person may change a domain. Only owners may change the service's own domain. */
export function useCanChange(domain: Domain): boolean {
  const { canWrite, isOwner } = useWorkspace();
  return domain.instance ? isOwner : canWrite;
}

type DomainChanges = NonNullable<paths["/domains/{slug}"]["patch"]["requestBody"]>["content"]["application/json"];

/** Changes a domain, then refetches all domain data. */
export function useDomainUpdate(slug: string) {
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: DomainChanges) => answerOf(api.PATCH("/domains/{slug}", { params: { path: { slug } }, body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: domainsKey(id) }),
  });
}

/** Makes the domain the default for new links. */
export function useMakePrimary({ slug }: Domain) {
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  const notify = useNotify();
  const { domains } = useTexts();
  return useMutation({
    mutationFn: () => answerOf(api.POST("/domains/{slug}/primary", { params: { path: { slug } } })),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: domainsKey(id) });
      notify({ kind: "done", text: domains.madePrimary(slug) });
    },
    onError: useNotifyFailure(),
  });
}

/** Archives the domain, or unarchives an archived one. `mutate` takes no arguments. */
export function useArchiving(domain: Domain) {
  const update = useDomainUpdate(domain.slug);
  const notify = useNotify();
  const { domains } = useTexts();
  const notifyFailure = useNotifyFailure();
  const archived = !domain.archived;
  return {
    isPending: update.isPending,
    mutate: () =>
      update.mutate(
        { archived },
        {
          onSuccess: () =>
            notify({
              kind: "done",
              text: archived ? domains.archivedNow(domain.slug) : domains.unarchivedNow(domain.slug),
            }),
          onError: notifyFailure,
        },
      ),
  };
}

/** The menu of a domain in the list. */
export function DomainMenu({ domain }: { domain: Domain }) {
  const { domains, words } = useTexts();
  const canChange = useCanChange(domain);
  const primary = useMakePrimary(domain);
  const archiving = useArchiving(domain);
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <Menu
        trigger={
          <IconButton label={domains.actions(domain.slug)}>
            <Ellipsis />
          </IconButton>
        }
      >
        <MenuItem asChild>
          <a href={domainUrl(domain, location.origin)} target="_blank" rel="noreferrer">
            <ExternalLink aria-hidden />
            {domains.open}
          </a>
        </MenuItem>
        {canChange && (
          <>
            {!domain.primary && (
              <MenuItem onSelect={() => primary.mutate()}>
                <Star aria-hidden />
                {domains.makePrimary}
              </MenuItem>
            )}
            <MenuItem onSelect={() => archiving.mutate()}>
              {domain.archived ? <ArchiveRestore aria-hidden /> : <Archive aria-hidden />}
              {domain.archived ? domains.unarchive : domains.archive}
            </MenuItem>
            {!domain.instance && (
              <>
                <MenuSeparator />
                <MenuItem isDangerous onSelect={() => setDeleting(true)}>
                  <Trash2 aria-hidden />
                  {words.delete}
                </MenuItem>
              </>
            )}
          </>
        )}
      </Menu>
      <DeleteDomainDialog domain={domain} isOpen={isDeleting} onClose={() => setDeleting(false)} />
    </>
  );
}
