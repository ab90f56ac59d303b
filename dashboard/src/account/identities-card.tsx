import { useMutation, useQueryClient } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { isUsableHere } from "../api/passkeys.ts";
import { signInMethods } from "../api/sign-in-methods.ts";
import { identitiesKey, sessionsKey, useIdentities, usePasskeys, useUser } from "../api/user.ts";
import { waypost } from "../api/waypost.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { ListCard } from "../ui/list-card.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { CurrentPassword } from "./current-password.tsx";

type Identity = Schemas["Identity"];

/** The identity providers that sign the person in; nothing where there are none. */
export function IdentitiesCard() {
  const { identities: texts, shell } = useTexts();
  const { hasPasswords, provider } = signInMethods();
  const identities = useIdentities();
  if (provider === null && !identities.data?.length) return null;
  return (
    <ListCard
      title={texts.title}
      about={!hasPasswords && provider !== null ? shell.onlyProvider(provider) : texts.about}
      query={identities}
      none={provider !== null && <p className="px-4 py-3 text-muted sm:px-5">{texts.none(provider)}</p>}
    >
      {(identity) => <IdentityRow key={identity.id} identity={identity} />}
    </ListCard>
  );
}

function IdentityRow({ identity }: { identity: Identity }) {
  const { identities: texts } = useTexts();
  const format = useFormat();
  const { data: user } = useUser();
  const { data: passkeys } = usePasskeys();
  const [isOpen, setOpen] = useState(false);
  const { provider, email, isActive } = identity;
  const since = texts.since(format.day(identity.createdAt));
  // Without passwords, or while the person has neither one nor a passkey that works here, the service keeps their only way
  // to sign in.
  const isOnlyWay = isActive && user?.hasPassword === false && passkeys !== undefined && !passkeys.some(isUsableHere);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <span className="grid size-9 shrink-0 place-items-center rounded-lg border border-line bg-sunken text-faint">
        <KeyRound className="size-4" aria-hidden />
      </span>
      <div className="min-w-0 grow basis-40">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {texts.signInWith(provider)}
          {!isActive && <Badge>{texts.former}</Badge>}
        </p>
        <p className="break-words text-[13px] text-muted">{email === null ? since : `${email} · ${since}`}</p>
      </div>
      {isOnlyWay ? (
        <p className="text-[13px] text-muted">{texts.onlyWay}</p>
      ) : (
        <Button size="small" aria-label={texts.disconnectOne(provider)} onClick={() => setOpen(true)}>
          {texts.disconnect}
        </Button>
      )}
      {isOpen && <DisconnectDialog identity={identity} onClose={() => setOpen(false)} />}
    </li>
  );
}

function DisconnectDialog({ identity: { id, provider }, onClose }: { identity: Identity; onClose(): void }) {
  const { identities: texts } = useTexts();
  const notify = useNotify();
  const queries = useQueryClient();
  const [currentPassword, setCurrentPassword] = useState("");
  const disconnect = useMutation({
    mutationFn: () =>
      answerOf(
        waypost.POST("/user/identities/{id}/disconnect", { params: { path: { id } }, body: { currentPassword } }),
      ),
    async onSuccess() {
      onClose();
      notify({ kind: "done", text: texts.disconnected(provider) });
      await queries.invalidateQueries({ queryKey: identitiesKey });
      await queries.invalidateQueries({ queryKey: sessionsKey });
    },
  });
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={texts.disconnectTitle(provider)}
      action={texts.disconnect}
      onSubmit={() => disconnect.mutate()}
      isBusy={disconnect.isPending}
      error={disconnect.error}
      shownFields={["currentPassword"]}
    >
      <p className="text-muted">{texts.disconnectText(provider)}</p>
      <CurrentPassword value={currentPassword} onChange={setCurrentPassword} error={disconnect.error} />
    </FormDialog>
  );
}
