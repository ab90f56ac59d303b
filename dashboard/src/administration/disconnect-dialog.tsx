import { useQuery } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { waypost } from "../api/waypost.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { administrationKey } from "./administration-list.tsx";
import { useOperation } from "./use-operation.ts";

type Identity = Schemas["Identity"];
type DisconnectDialogProps = { person: Pick<Schemas["AdministeredUser"], "id" | "name">; onClose(): void };

/** Shows the identity providers that sign a user in, and disconnects them. */
export function DisconnectDialog({ person: { id, name }, onClose }: DisconnectDialogProps) {
  const { administration } = useTexts();
  const params = { path: { userId: id } };
  const identities = useQuery({
    queryKey: [...administrationKey, "identities", id],
    queryFn: () => answerOf(waypost.GET("/admin/users/{userId}/identities", { params })),
  });
  const disconnecting = useOperation({
    run: () => answerOf(waypost.DELETE("/admin/users/{userId}/identities", { params })),
    successText: () => administration.singleSignOnOff(name),
    onSuccess: onClose,
    showsFailure: true,
  });
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={administration.disconnectTitle(name)}
      action={administration.disconnect}
      onConfirm={() => disconnecting.mutate(undefined)}
      isBusy={disconnecting.isPending}
      error={disconnecting.error ?? identities.error}
    >
      <p>{administration.disconnectText}</p>
      {identities.data !== undefined && (
        <ul className="mt-4 grid gap-2">
          {identities.data.map((identity) => (
            <IdentityLine key={identity.id} identity={identity} />
          ))}
        </ul>
      )}
    </ConfirmDialog>
  );
}

function IdentityLine({ identity: { provider, email, isActive, createdAt } }: { identity: Identity }) {
  const { identities } = useTexts();
  const format = useFormat();
  const since = identities.since(format.day(createdAt));
  return (
    <li className="rounded-lg border border-line px-3 py-2">
      <p className="flex flex-wrap items-center gap-2 font-medium text-ink">
        {provider}
        {!isActive && <Badge>{identities.former}</Badge>}
      </p>
      <p className="break-words text-[13px]">{email === null ? since : `${email} · ${since}`}</p>
    </li>
  );
}
