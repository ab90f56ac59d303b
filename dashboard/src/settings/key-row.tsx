import { Ellipsis, KeyRound, Pencil, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useMembers } from "../api/members.ts";
import { useUser } from "../api/user.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { Tooltip } from "../ui/tooltip.tsx";
import { RenameKeyDialog, RevokeKeyDialog, RotateKeyDialog } from "./key-dialogs.tsx";
import { accessOf } from "./key-scopes.ts";
import type { ApiKey } from "./workspace-queries.ts";

/** A row of the list: the key's prefix, its permissions, and when it was used. */
export function KeyRow({ apiKey }: { apiKey: ApiKey }) {
  const { settings, identities } = useTexts();
  const { data: user } = useUser();
  const { data: members } = useMembers();
  const isOwn = user?.id === apiKey.userId;
  const owner = members?.find(({ userId }) => userId === apiKey.userId);
  const hasEnded = apiKey.expiresAt !== null && Date.parse(apiKey.expiresAt) <= Date.now();
  return (
    <li className="flex items-center gap-3 px-4 py-3.5 sm:gap-4 sm:px-5">
      <span className="hidden size-9 shrink-0 place-items-center rounded-lg border border-line bg-sunken text-faint sm:grid">
        <KeyRound className="size-4" aria-hidden />
      </span>
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 truncate font-medium">{apiKey.name}</span>
          <code className="rounded bg-sunken px-1.5 py-0.5 font-mono text-xs text-muted">{apiKey.prefix}…</code>
          <Access apiKey={apiKey} />
          {apiKey.allWorkspaces && <Badge tone="warning">{settings.keyAllWorkspaces}</Badge>}
          {hasEnded && <Badge tone="danger">{settings.keyEnded}</Badge>}
          {apiKey.lacksSecondFactor && <Badge tone="danger">{identities.keyRefused}</Badge>}
          {!isOwn && owner && <span className="text-[13px] text-muted">{settings.keyBy(owner.name)}</span>}
        </p>
        <Use apiKey={apiKey} hasEnded={hasEnded} />
        {apiKey.lacksSecondFactor && <p className="mt-0.5 text-[13px] text-muted">{identities.keyRefusedHint}</p>}
      </div>
      <KeyMenu apiKey={apiKey} isOwn={isOwn} />
    </li>
  );
}

function Access({ apiKey: { scopes } }: { apiKey: ApiKey }) {
  const { settings } = useTexts();
  const access = accessOf(scopes);
  if (access === "all") return <Badge tone="warning">{settings.scopesAll}</Badge>;
  const list = (scopes ?? []).join(", ");
  return (
    <Tooltip text={list}>
      {/* A button makes the tooltip reachable by keyboard. */}
      <button type="button" className="rounded-full">
        <Badge>{access === "read" ? settings.scopesRead : settings.scopesSome(scopes?.length ?? 0)}</Badge>
      </button>
    </Tooltip>
  );
}

function Use({ apiKey, hasEnded }: { apiKey: ApiKey; hasEnded: boolean }) {
  const { settings } = useTexts();
  const format = useFormat();
  const used = apiKey.lastUsedAt === null ? settings.neverUsed : settings.lastUsed(format.ago(apiKey.lastUsedAt));
  const ends = apiKey.expiresAt === null || hasEnded ? undefined : settings.keyEnds(format.ago(apiKey.expiresAt));
  return <p className="mt-0.5 text-[13px] text-muted">{ends === undefined ? used : `${used} · ${ends}`}</p>;
}

/** Members change their own keys, owners all keys of the workspace. Only a key's user can rotate it. */
function KeyMenu({ apiKey, isOwn }: { apiKey: ApiKey; isOwn: boolean }) {
  const { settings } = useTexts();
  const { canWrite, isOwner } = useWorkspace();
  const [open, setOpen] = useState<"rename" | "rotate" | "revoke">();
  const close = () => setOpen(undefined);
  if (!canWrite || !(isOwn || isOwner)) return null;
  return (
    <>
      <Menu
        trigger={
          <IconButton label={settings.keyActions(apiKey.name)}>
            <Ellipsis />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => setOpen("rename")}>
          <Pencil aria-hidden />
          {settings.rename}
        </MenuItem>
        {isOwn && (
          <MenuItem onSelect={() => setOpen("rotate")}>
            <RefreshCw aria-hidden />
            {settings.rotate}
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem isDangerous onSelect={() => setOpen("revoke")}>
          <Trash2 aria-hidden />
          {settings.revoke}
        </MenuItem>
      </Menu>
      {open === "rename" && <RenameKeyDialog apiKey={apiKey} onClose={close} />}
      {open === "rotate" && <RotateKeyDialog apiKey={apiKey} onClose={close} />}
      {open === "revoke" && <RevokeKeyDialog apiKey={apiKey} onClose={close} />}
    </>
  );
}
