import { Archive, ArchiveRestore, CirclePause, CirclePlay, FolderInput, QrCode, Tags, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import type { BulkActions, OnDone } from "./link-actions.ts";
import type { Link } from "./links-api.ts";
import { isSwitchedOn } from "./use-link-switch.tsx";

type BulkButtonsProps = { links: Link[]; actions: BulkActions; canWrite: boolean; onDone: OnDone };

/** The actions on the selected links. */
export function BulkButtons({ canWrite, ...changes }: BulkButtonsProps) {
  const { bulk } = useTexts().links;
  const { links, actions } = changes;
  return (
    <>
      <BulkButton label={bulk.qrCodes} icon={<QrCode />} onClick={() => actions.zipQrCodes(links)} />
      {canWrite && <ChangeButtons {...changes} />}
    </>
  );
}

function ChangeButtons({ links, actions, onDone }: Omit<BulkButtonsProps, "canWrite">) {
  const { bulk } = useTexts().links;
  const isArchived = links.every((link) => isSwitchedOn("archived", link));
  const isDisabled = links.every((link) => isSwitchedOn("disabled", link));
  return (
    <>
      <BulkButton label={bulk.tag} icon={<Tags />} onClick={() => actions.tag(links, onDone)} />
      <BulkButton label={bulk.move} icon={<FolderInput />} onClick={() => actions.move(links, onDone)} />
      <BulkButton
        label={isArchived ? bulk.unarchive : bulk.archive}
        icon={isArchived ? <ArchiveRestore /> : <Archive />}
        onClick={() => actions.set("archived", links, !isArchived, onDone)}
      />
      <BulkButton
        label={isDisabled ? bulk.enable : bulk.disable}
        icon={isDisabled ? <CirclePlay /> : <CirclePause />}
        onClick={() => actions.set("disabled", links, !isDisabled, onDone)}
      />
      <BulkButton label={bulk.delete} icon={<Trash2 />} isDangerous onClick={() => actions.remove(links, onDone)} />
    </>
  );
}

type BulkButtonProps = { label: string; icon: ReactNode; isDangerous?: boolean; onClick(): void };

function BulkButton({ label, icon, isDangerous = false, onClick }: BulkButtonProps) {
  return (
    <Button
      variant="quiet"
      size="small"
      title={label}
      onClick={onClick}
      className={classNames("max-xl:px-2", isDangerous && "text-danger hover:text-danger")}
    >
      {icon}
      <span className="sr-only xl:not-sr-only">{label}</span>
    </Button>
  );
}
