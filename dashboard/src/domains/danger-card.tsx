import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import { ActionRow } from "../ui/form-card.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { DeleteDomainDialog } from "./delete-domain-dialog.tsx";
import { useArchiving, useDomainUpdate, useMakePrimary } from "./domain-actions.tsx";
import type { Domain } from "./domain-state.ts";

/** Actions on a whole domain. */
export function DangerCard({ domain }: { domain: Domain }) {
  const { domains } = useTexts();
  const { id } = useWorkspace();
  const navigate = useNavigate();
  const primary = useMakePrimary(domain);
  const archiving = useArchiving(domain);
  const [open, setOpen] = useState<"rename" | "delete">();
  return (
    <Card title={domains.danger}>
      <div className="divide-y divide-line">
        {!domain.primary && (
          <ActionRow title={domains.makePrimary} about={domains.primaryAbout}>
            <Button isBusy={primary.isPending} onClick={() => primary.mutate()}>
              {domains.makePrimary}
            </Button>
          </ActionRow>
        )}
        {!domain.instance && (
          <ActionRow title={domains.rename} about={domains.renameHint}>
            <Button onClick={() => setOpen("rename")}>{domains.rename}</Button>
          </ActionRow>
        )}
        <ActionRow title={domain.archived ? domains.unarchive : domains.archive} about={domains.archiveAbout}>
          <Button isBusy={archiving.isPending} onClick={() => archiving.mutate()}>
            {domain.archived ? domains.unarchive : domains.archive}
          </Button>
        </ActionRow>
        {!domain.instance && (
          <ActionRow title={domains.deleteIt} about={domains.deleteAbout}>
            <Button variant="danger" onClick={() => setOpen("delete")}>
              {domains.deleteIt}
            </Button>
          </ActionRow>
        )}
      </div>
      <RenameDialog domain={domain} isOpen={open === "rename"} onClose={() => setOpen(undefined)} />
      <DeleteDomainDialog
        domain={domain}
        isOpen={open === "delete"}
        onClose={() => setOpen(undefined)}
        onDeleted={() => void navigate({ to: "/w/$workspaceId/domains", params: { workspaceId: String(id) } })}
      />
    </Card>
  );
}

function RenameDialog({ domain, isOpen, onClose }: { domain: Domain; isOpen: boolean; onClose(): void }) {
  const fieldErrorOf = useFieldErrorOf();
  const { domains } = useTexts();
  const { id } = useWorkspace();
  const navigate = useNavigate();
  const notify = useNotify();
  const update = useDomainUpdate(domain.slug);
  const [slug, setSlug] = useState(domain.slug);
  const rename = () =>
    update.mutate(
      { slug },
      {
        async onSuccess(renamed) {
          onClose();
          notify({ kind: "done", text: domains.renamed(renamed.slug) });
          const params = { workspaceId: String(id), slug: renamed.slug };
          await navigate({ to: "/w/$workspaceId/domains/$slug", params, replace: true });
        },
      },
    );
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={onClose}
      title={domains.renameTitle}
      about={domains.renameHint}
      action={domains.rename}
      onSubmit={rename}
      isBusy={update.isPending}
      error={update.error}
      shownFields={["slug"]}
    >
      <Field label={domains.slug} fieldError={fieldErrorOf(update.error, "slug")}>
        <Input
          required
          value={slug}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setSlug(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
