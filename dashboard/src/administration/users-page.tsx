import { Ban, CircleCheck, Ellipsis, LogOut, ShieldOff, Trash2, Unplug, UserCheck, UserX } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { useInstance } from "../api/instance.ts";
import { useUser } from "../api/user.ts";
import { waypost } from "../api/waypost.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ExportFirstDialog } from "../ui/export-first-dialog.tsx";
import { Field, Input } from "../ui/field.tsx";
import { Initials } from "../ui/initials.tsx";
import { Menu, MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { RowDetails } from "../ui/row-details.tsx";
import { AdministrationList } from "./administration-list.tsx";
import { BlockDialog } from "./block-dialog.tsx";
import { DisconnectDialog } from "./disconnect-dialog.tsx";
import { useUnblocking } from "./use-blocking.ts";
import { useOperation } from "./use-operation.ts";

type Person = Schemas["AdministeredUser"];

/** The users of the instance. */
export function UsersPage() {
  const { administration } = useTexts();
  const { data: instance } = useInstance();
  const signUp = instance === undefined ? "" : administration.signUp[instance.signUp];
  return (
    <AdministrationList
      name="users"
      about={`${administration.usersAbout} ${signUp}`.trim()}
      searchLabel={administration.searchUsers}
      read={(query) => answerOf(waypost.GET("/admin/users", { params: { query } }))}
    >
      {(person) => <UserRow key={person.id} person={person} />}
    </AdministrationList>
  );
}

function UserRow({ person }: { person: Person }) {
  const { administration, settings } = useTexts();
  const format = useFormat();
  const { data: user } = useUser();
  const isYou = user?.id === person.id;
  const seen = person.lastSeenAt;
  return (
    <li className="flex items-center gap-3 px-4 py-3 sm:gap-4 sm:px-5">
      <Initials name={person.name || (person.email ?? "")} className="max-sm:hidden" />
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="min-w-0 truncate">{person.name}</span>
          {isYou && <Badge>{settings.thisIsYou}</Badge>}
          {person.isAdministrator && <Badge tone="accent">{administration.administrator}</Badge>}
          {person.state === "blocked" && <Badge tone="danger">{administration.states.blocked}</Badge>}
          {person.isDisabled && <Badge>{administration.states.disabled}</Badge>}
        </p>
        <RowDetails
          details={[
            ...(person.email === null ? [] : [person.email]),
            administration.inWorkspaces(person.workspaces, format.number(person.workspaces)),
            seen === null ? administration.neverSeen : administration.seen(format.ago(seen)),
          ]}
        />
      </div>
      {!isYou && <UserMenu person={person} />}
    </li>
  );
}

function UserMenu({ person }: { person: Person }) {
  const { administration } = useTexts();
  const [open, setOpen] = useState<"disable" | "removeFactors" | "disconnect" | "block" | "delete">();
  const close = () => setOpen(undefined);
  const { disabling, enabling, signingOut, removingFactors } = useUserOperations(person, close);
  const unblocking = useUnblocking({ kind: "user", target: person.id }, person.name);
  return (
    <>
      <Menu
        trigger={
          <IconButton label={administration.actionsFor(person.name)}>
            <Ellipsis />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => signingOut.mutate(undefined)}>
          <LogOut aria-hidden />
          {administration.signOut}
        </MenuItem>
        {(person.hasOneTimeCodes || person.hasPasskeys) && (
          <MenuItem onSelect={() => setOpen("removeFactors")}>
            <ShieldOff aria-hidden />
            {administration.removeFactors}
          </MenuItem>
        )}
        {person.hasIdentities && (
          <MenuItem onSelect={() => setOpen("disconnect")}>
            <Unplug aria-hidden />
            {administration.disconnect}
          </MenuItem>
        )}
        {person.isDisabled ? (
          <MenuItem onSelect={() => enabling.mutate(undefined)}>
            <UserCheck aria-hidden />
            {administration.enable}
          </MenuItem>
        ) : (
          <MenuItem onSelect={() => setOpen("disable")}>
            <UserX aria-hidden />
            {administration.disable}
          </MenuItem>
        )}
        {person.state === "blocked" ? (
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
          {administration.deleteUser}
        </MenuItem>
      </Menu>
      <ConfirmDialog
        isOpen={open === "disable"}
        onClose={close}
        title={administration.disableTitle(person.name)}
        action={administration.disable}
        onConfirm={() => disabling.mutate(undefined)}
        isBusy={disabling.isPending}
        error={disabling.error}
      >
        <p>{administration.disableText}</p>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={open === "removeFactors"}
        onClose={close}
        title={administration.removeFactorsTitle(person.name)}
        action={administration.removeFactors}
        onConfirm={() => removingFactors.mutate(undefined)}
        isBusy={removingFactors.isPending}
        error={removingFactors.error}
      >
        <p>{administration.removeFactorsText}</p>
      </ConfirmDialog>
      {open === "disconnect" && <DisconnectDialog person={person} onClose={close} />}
      {open === "block" && <BlockDialog kind="user" target={person.id} name={person.name} onClose={close} />}
      {open === "delete" && <DeleteUserDialog person={person} onClose={close} />}
    </>
  );
}

function useUserOperations({ id, name }: Person, onClose: () => void) {
  const { administration } = useTexts();
  const format = useFormat();
  const params = { path: { userId: id } };
  const inDialog = { onSuccess: onClose, showsFailure: true };
  return {
    disabling: useOperation({
      ...inDialog,
      run: () => answerOf(waypost.POST("/admin/users/{userId}/disable", { params })),
      successText: () => administration.disabled(name),
    }),
    enabling: useOperation({
      run: () => answerOf(waypost.POST("/admin/users/{userId}/enable", { params })),
      successText: () => administration.enabled(name),
    }),
    signingOut: useOperation({
      run: () => answerOf(waypost.POST("/admin/users/{userId}/sign-out", { params })),
      successText: ({ ended }: { ended: number }) => administration.signedOut(ended, format.number(ended)),
    }),
    removingFactors: useOperation({
      ...inDialog,
      run: () => answerOf(waypost.DELETE("/admin/users/{userId}/one-time-codes", { params })),
      successText: () => administration.factorsRemoved(name),
    }),
  };
}

function DeleteUserDialog({ person: { id, name, email }, onClose }: { person: Person; onClose(): void }) {
  const { administration, words } = useTexts();
  const [text, setText] = useState("");
  const textToType = email ?? name;
  const params = { path: { userId: id } };
  const deletion = useOperation({
    run: () => answerOf(waypost.DELETE("/admin/users/{userId}", { params })),
    successText: () => administration.deleted(name),
    onSuccess: onClose,
    showsFailure: true,
  });
  return (
    <ExportFirstDialog
      title={administration.deleteTitle(name)}
      about={administration.deleteText}
      file={`waypost-${email ?? id}.json`}
      read={() => answerOf(waypost.GET("/admin/users/{userId}/export", { params }))}
      action={administration.deleteUser}
      onDelete={() => deletion.mutate(undefined)}
      isBusy={deletion.isPending}
      isComplete={text.trim() === textToType}
      error={deletion.error}
      onClose={onClose}
    >
      <Field label={words.typeToConfirm(textToType)}>
        <Input autoFocus autoComplete="off" value={text} onChange={(event) => setText(event.target.value)} />
      </Field>
    </ExportFirstDialog>
  );
}
