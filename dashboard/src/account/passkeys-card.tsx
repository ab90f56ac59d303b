import { Ellipsis, KeyRound, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { passkeyHindrance } from "../api/passkeys.ts";
import { signInMethods } from "../api/sign-in-methods.ts";
import { type Passkey, usePasskeys } from "../api/user.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { ListCard } from "../ui/list-card.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { AddPasskeyDialog, RemovePasskeyDialog, RenamePasskeyDialog } from "./passkey-dialogs.tsx";

/** The person's passkeys. */
export function PasskeysCard() {
  const { passkeys } = useTexts();
  const query = usePasskeys();
  const [isAdding, setAdding] = useState(false);
  const hindrance = passkeyHindrance();
  const why = hindrance === undefined ? undefined : passkeys.hindrances[hindrance](signInMethods().origin);
  return (
    <>
      <ListCard
        title={passkeys.title}
        about={passkeys.about}
        aside={
          hindrance === undefined && (
            <Button variant="primary" onClick={() => setAdding(true)}>
              {passkeys.add}
            </Button>
          )
        }
        query={query}
        before={why && <p className="border-b border-line px-4 py-3 text-muted last:border-0 sm:px-5">{why}</p>}
        none={why === undefined && <p className="px-4 py-3 text-muted sm:px-5">{passkeys.none}</p>}
      >
        {(passkey) => <PasskeyRow key={passkey.id} passkey={passkey} />}
      </ListCard>
      {isAdding && <AddPasskeyDialog onClose={() => setAdding(false)} />}
    </>
  );
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const { passkeys } = useTexts();
  const format = useFormat();
  const [open, setOpen] = useState<"rename" | "remove">();
  const close = () => setOpen(undefined);
  const details = [
    passkeys.added(format.day(passkey.createdAt)),
    passkey.lastUsedAt === null ? passkeys.neverUsed : passkeys.used(format.ago(passkey.lastUsedAt)),
    ...(passkey.host === new URL(signInMethods().origin).hostname ? [] : [passkeys.otherHost(passkey.host)]),
  ];
  return (
    <li className="flex items-center gap-x-4 px-4 py-3 sm:px-5">
      <span className="grid size-9 shrink-0 place-items-center rounded-lg border border-line bg-sunken text-faint">
        <KeyRound className="size-4" aria-hidden />
      </span>
      <div className="min-w-0 grow">
        <p className="font-medium wrap-anywhere">{passkey.name}</p>
        <p className="text-[13px] text-muted wrap-anywhere">{details.join(" · ")}</p>
      </div>
      <Menu
        trigger={
          <IconButton label={passkeys.actionsFor(passkey.name)}>
            <Ellipsis />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => setOpen("rename")}>
          <Pencil aria-hidden />
          {passkeys.rename}
        </MenuItem>
        <MenuItem isDangerous onSelect={() => setOpen("remove")}>
          <Trash2 aria-hidden />
          {passkeys.remove}
        </MenuItem>
      </Menu>
      {open === "rename" && <RenamePasskeyDialog passkey={passkey} onClose={close} />}
      {open === "remove" && <RemovePasskeyDialog passkey={passkey} onClose={close} />}
    </li>
  );
}
