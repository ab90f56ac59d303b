import { ArrowRightLeft, Ban, Building2, CircleCheck, Ellipsis, Gauge, Trash2 } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { waypost } from "../api/waypost.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { ListTile } from "../ui/list-tile.tsx";
import { Menu, MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { RowDetails } from "../ui/row-details.tsx";
import { AdministrationList } from "./administration-list.tsx";
import { BlockDialog } from "./block-dialog.tsx";
import { LimitsDialog } from "./limits-dialog.tsx";
import { useUnblocking } from "./use-blocking.ts";
import { useOperation } from "./use-operation.ts";

type Workspace = Schemas["AdministeredWorkspace"];

/** The workspaces of the instance. */
export function WorkspacesPage() {
  const { administration } = useTexts();
  return (
    <AdministrationList
      name="workspaces"
      about={administration.workspacesAbout}
      searchLabel={administration.searchWorkspaces}
      read={(query) => answerOf(waypost.GET("/admin/workspaces", { params: { query } }))}
    >
      {(workspace) => <WorkspaceRow key={workspace.id} workspace={workspace} />}
    </AdministrationList>
  );
}

function WorkspaceRow({ workspace }: { workspace: Workspace }) {
  const { administration } = useTexts();
  const format = useFormat();
  return (
    <li className="flex items-center gap-3 px-4 py-3 sm:gap-4 sm:px-5">
      <ListTile icon={Building2} />
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="min-w-0 truncate">{workspace.name}</span>
          {workspace.isBlocked && <Badge tone="danger">{administration.states.blocked}</Badge>}
        </p>
        <RowDetails
          details={[
            workspace.owners.join(", "),
            administration.membersCount(workspace.members, format.number(workspace.members)),
            `#${workspace.id}`,
          ].filter((detail) => detail !== "")}
        />
      </div>
      <WorkspaceMenu workspace={workspace} />
    </li>
  );
}

function WorkspaceMenu({ workspace }: { workspace: Workspace }) {
  const { administration, settings } = useTexts();
  const [open, setOpen] = useState<"transfer" | "limits" | "block" | "delete">();
  const close = () => setOpen(undefined);
  const { id, name } = workspace;
  const unblocking = useUnblocking({ kind: "workspace", target: String(id) }, name);
  const deletion = useOperation({
    run: () =>
      answerOf(waypost.DELETE("/admin/workspaces/{id}", { params: { path: { id }, query: { confirm: name } } })),
    successText: () => settings.workspaceDeleted(name),
    onSuccess: close,
    showsFailure: true,
  });
  return (
    <>
      <Menu
        trigger={
          <IconButton label={administration.actionsFor(name)}>
            <Ellipsis />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => setOpen("transfer")}>
          <ArrowRightLeft aria-hidden />
          {administration.transfer}
        </MenuItem>
        <MenuItem onSelect={() => setOpen("limits")}>
          <Gauge aria-hidden />
          {administration.limits}
        </MenuItem>
        {workspace.isBlocked ? (
          <MenuItem onSelect={() => unblocking.mutate(undefined)}>
            <CircleCheck aria-hidden />
            {administration.unblock}
          </MenuItem>
        ) : (
          <MenuItem onSelect={() => setOpen("block")}>
            <Ban aria-hidden />
            {administration.block}
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem isDangerous onSelect={() => setOpen("delete")}>
          <Trash2 aria-hidden />
          {administration.deleteWorkspace}
        </MenuItem>
      </Menu>
      {open === "transfer" && <TransferDialog workspace={workspace} onClose={close} />}
      {open === "limits" && <LimitsDialog id={id} name={name} onClose={close} />}
      {open === "block" && <BlockDialog kind="workspace" target={String(id)} name={name} onClose={close} />}
      <ConfirmDialog
        isOpen={open === "delete"}
        onClose={close}
        title={administration.deleteTitle(name)}
        action={administration.deleteWorkspace}
        onConfirm={() => deletion.mutate(undefined)}
        isBusy={deletion.isPending}
        error={deletion.error}
        textToType={name}
      >
        <p>{settings.deleteWorkspaceText}</p>
      </ConfirmDialog>
    </>
  );
}

function TransferDialog({ workspace: { id, name }, onClose }: { workspace: Workspace; onClose(): void }) {
  const { administration } = useTexts();
  const fieldErrorOf = useFieldErrorOf();
  const [to, setTo] = useState("");
  const transfer = useOperation({
    run: () => answerOf(waypost.POST("/admin/workspaces/{id}/transfer", { params: { path: { id } }, body: { to } })),
    successText: ({ owner }: { owner: string }) => administration.transferred(name, owner),
    onSuccess: onClose,
    showsFailure: true,
  });
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={administration.transferTitle(name)}
      about={administration.transferAbout}
      action={administration.transfer}
      onSubmit={() => transfer.mutate(undefined)}
      isBusy={transfer.isPending}
      error={transfer.error}
      shownFields={["to"]}
    >
      <Field label={administration.newOwner} fieldError={fieldErrorOf(transfer.error, "to")}>
        <Input type="email" required autoComplete="off" value={to} onChange={(event) => setTo(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
