import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Ellipsis, Pencil, Plus, Tags, Trash2 } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { type UtmTemplate, useUtmTemplates, utmTemplatesKey } from "../api/utm-templates.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { utmNames } from "../base/utm-names.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ListCard } from "../ui/list-card.tsx";
import { Menu, MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { ReadOnlyNote } from "../ui/read-only-note.tsx";
import { Empty } from "../ui/states.tsx";
import { UtmDialog } from "./utm-dialog.tsx";

/** The workspace's UTM templates. */
export function UtmPage() {
  const { settings } = useTexts();
  const { canWrite } = useWorkspace();
  const [isAdding, setAdding] = useState(false);
  const templates = useUtmTemplates();
  const addButton = canWrite && (
    <Button variant="primary" onClick={() => setAdding(true)}>
      <Plus aria-hidden />
      {settings.utmAdd}
    </Button>
  );
  return (
    <>
      {!canWrite && <ReadOnlyNote>{settings.viewersOnlyRead}</ReadOnlyNote>}
      <ListCard
        title={settings.utm}
        about={settings.utmAbout}
        aside={templates.data?.length !== 0 && addButton}
        query={templates}
        none={
          <Empty icon={Tags} title={settings.utmNone} action={addButton}>
            {settings.utmNoneHint}
          </Empty>
        }
      >
        {(template) => <TemplateRow key={template.id} template={template} />}
      </ListCard>
      {isAdding && <UtmDialog onClose={() => setAdding(false)} />}
    </>
  );
}

function TemplateRow({ template }: { template: UtmTemplate }) {
  const { settings } = useTexts();
  const { canWrite } = useWorkspace();
  const given = utmNames.filter((name) => template[name] !== null);
  return (
    <li className="flex items-center gap-4 px-4 py-3.5 sm:px-5">
      <div className="min-w-0 grow">
        <p className="truncate font-medium">{template.name}</p>
        <p className="mt-1 flex flex-wrap gap-1.5">
          {given.length === 0 && <span className="text-[13px] text-muted">{settings.utmEmpty}</span>}
          {given.map((name) => (
            <code key={name} className="break-all rounded bg-sunken px-1.5 py-0.5 font-mono text-xs text-muted">
              {name}={template[name]}
            </code>
          ))}
        </p>
      </div>
      {canWrite && <TemplateMenu template={template} />}
    </li>
  );
}

function TemplateMenu({ template }: { template: UtmTemplate }) {
  const { settings, words } = useTexts();
  const { api, id } = useWorkspace();
  const queries = useQueryClient();
  const [open, setOpen] = useState<"edit" | "delete">();
  const close = () => setOpen(undefined);
  const deletion = useMutation({
    mutationFn: () => answerOf(api.DELETE("/utm-templates/{id}", { params: { path: { id: template.id } } })),
    async onSuccess() {
      close();
      await queries.invalidateQueries({ queryKey: utmTemplatesKey(id) });
    },
  });
  return (
    <>
      <Menu
        trigger={
          <IconButton label={settings.utmActions(template.name)}>
            <Ellipsis />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => setOpen("edit")}>
          <Pencil aria-hidden />
          {words.edit}
        </MenuItem>
        <MenuSeparator />
        <MenuItem isDangerous onSelect={() => setOpen("delete")}>
          <Trash2 aria-hidden />
          {words.delete}
        </MenuItem>
      </Menu>
      {open === "edit" && <UtmDialog template={template} onClose={close} />}
      <ConfirmDialog
        isOpen={open === "delete"}
        onClose={close}
        title={settings.utmDeleteTitle(template.name)}
        action={words.delete}
        onConfirm={() => deletion.mutate()}
        isBusy={deletion.isPending}
        error={deletion.error}
      >
        <p>{settings.utmDeleteText}</p>
      </ConfirmDialog>
    </>
  );
}
