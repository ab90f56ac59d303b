import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ShareForm } from "./share-form.tsx";
import { ShareList } from "./share-list.tsx";
import type { ShareSubject } from "./share-subject.ts";

type ShareDialogProps = {
  subject: ShareSubject;
  /** The name of the link or folder. */
  name: string;
  isOpen: boolean;
  onClose(): void;
};

/** Shares the analytics of a link or folder, and lists its share links. */
export function ShareDialog({ subject, name, isOpen, onClose }: ShareDialogProps) {
  const { share } = useTexts();
  const { canWrite } = useWorkspace();
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={share.title} about={share.about(name)} className="max-w-lg">
      <div className="grid grid-cols-1 gap-6">
        {canWrite ? <ShareForm subject={subject} /> : <p className="text-[13px] text-muted">{share.viewersOnly}</p>}
        <ShareList subject={subject} name={name} />
      </div>
    </Dialog>
  );
}
