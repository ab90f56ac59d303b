import { ExternalLink, LockKeyhole, LockKeyholeOpen, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Skeleton } from "../ui/states.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { useTimeText } from "../ui/use-time-text.ts";
import { ShareEdit } from "./share-edit.tsx";
import type { ShareSubject } from "./share-subject.ts";
import { type Share, shareUrl, useRevocation, useShares } from "./shares.ts";

type ListProps = {
  subject: ShareSubject;
  /** The name of the link or folder: the default title of its pages. */
  name: string;
};

/** Lists the shares, to copy, edit and revoke them. */
export function ShareList({ subject, name }: ListProps) {
  const { share: texts } = useTexts();
  const notify = useNotify();
  const { data: shares, error, refetch } = useShares(subject);
  const revocation = useRevocation(subject, () => notify({ kind: "done", text: texts.revoked }));
  return (
    <section aria-label={texts.shares} className="grid grid-cols-1 gap-2">
      <h3 className="font-medium">{texts.shares}</h3>
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {shares === undefined && !error && <Skeleton className="h-16" />}
      {shares?.length === 0 && <p className="text-[13px] text-muted">{texts.none}</p>}
      {shares !== undefined && shares.length > 0 && (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {shares.map((share) => (
            <Item
              key={share.id}
              subject={subject}
              share={share}
              name={share.name ?? name}
              onRevoke={() => revocation.mutate(share.id)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

type ItemProps = { subject: ShareSubject; share: Share; name: string; onRevoke(): void };

function Item({ subject, share, name, onRevoke }: ItemProps) {
  const { share: texts, words } = useTexts();
  const [mode, setMode] = useState<"shown" | "edited" | "revoked">("shown");
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2.5">
      <div className="min-w-0 grow basis-48">
        <p className="truncate font-medium">{name}</p>
        <About share={share} />
      </div>
      {mode === "edited" && <ShareEdit subject={subject} share={share} onClose={() => setMode("shown")} />}
      {mode === "revoked" && (
        <div className="flex items-center gap-2">
          <Button size="small" onClick={() => setMode("shown")}>
            {words.cancel}
          </Button>
          <Button size="small" variant="danger" autoFocus onClick={onRevoke}>
            {texts.revokeSure}
          </Button>
        </div>
      )}
      {mode === "shown" && (
        <ShareActions share={share} onEdit={() => setMode("edited")} onRevoke={() => setMode("revoked")} />
      )}
    </li>
  );
}

function ShareActions({ share, onEdit, onRevoke }: { share: Share; onEdit(): void; onRevoke(): void }) {
  const { share: texts, words } = useTexts();
  const { canWrite } = useWorkspace();
  const address = shareUrl(share);
  return (
    <div className="flex items-center gap-0.5">
      <CopyButton text={address} label={texts.copy} />
      <a
        href={address}
        target="_blank"
        rel="noreferrer"
        aria-label={texts.open}
        title={texts.open}
        className="inline-flex size-8 items-center justify-center rounded-lg text-muted hover:bg-sunken hover:text-ink"
      >
        <ExternalLink className="size-4" aria-hidden />
      </a>
      {canWrite && (
        <>
          <IconButton label={words.edit} onClick={onEdit}>
            <Pencil aria-hidden />
          </IconButton>
          <IconButton label={texts.revoke} onClick={onRevoke}>
            <Trash2 aria-hidden />
          </IconButton>
        </>
      )}
    </div>
  );
}

const nextClass = "before:mr-2 before:content-['·']";

function About({ share: { hasPassword, expiresAt, createdAt } }: { share: Share }) {
  const { share: texts } = useTexts();
  const format = useFormat();
  const time = useTimeText();
  const Lock = hasPassword ? LockKeyhole : LockKeyholeOpen;
  const hasEnded = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
      <span className="inline-flex items-center gap-1">
        <Lock className="size-3 text-faint" aria-hidden />
        {hasPassword ? texts.withPassword : texts.withoutPassword}
      </span>
      {hasEnded ? (
        <Badge tone="danger">{texts.expired}</Badge>
      ) : (
        expiresAt !== null && <span className={nextClass}>{texts.until(time.writeEnd(expiresAt))}</span>
      )}
      <span className={nextClass}>{texts.made(format.ago(createdAt))}</span>
    </p>
  );
}
