import { FolderClosed, Link2, Share2 } from "lucide-react";
import { useState } from "react";
import { useWorkspace } from "../api/workspace.tsx";
import { FilterMenu } from "../reports/filter-menu.tsx";
import { useNames } from "../reports/names.ts";
import { useView } from "../reports/view.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/states.tsx";
import { ShareForm } from "./share-form.tsx";
import { ShareList } from "./share-list.tsx";
import { type ShareSubject, subjectOf } from "./share-subject.ts";

/** Shares the link or folder that the report is filtered by. */
export function ShareButton() {
  const { share } = useTexts();
  const { search } = useView();
  const [isOpen, setOpen] = useState(false);
  const subject = subjectOf(search);
  return (
    <>
      <IconButton
        label={share.title}
        className="size-9 border border-line bg-surface shadow-card"
        onClick={() => setOpen(true)}
      >
        <Share2 aria-hidden />
      </IconButton>
      {subject === undefined ? (
        <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={share.title}>
          <ChooseFirst />
        </Dialog>
      ) : (
        <ShareDialog subject={subject} isOpen={isOpen} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

function ChooseFirst() {
  const { share } = useTexts();
  return (
    <Empty
      icon={Share2}
      title={share.chooseFirst}
      className="px-0 py-6"
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <FilterMenu
            only="linkId"
            trigger={
              <Button>
                <Link2 className="text-faint" aria-hidden />
                {share.chooseLink}
              </Button>
            }
          />
          <FilterMenu
            only="folderId"
            trigger={
              <Button>
                <FolderClosed className="text-faint" aria-hidden />
                {share.chooseFolder}
              </Button>
            }
          />
        </div>
      }
    >
      {share.chooseFirstHint}
    </Empty>
  );
}

function ShareDialog({ subject, isOpen, onClose }: { subject: ShareSubject; isOpen: boolean; onClose(): void }) {
  const { share } = useTexts();
  const { canWrite } = useWorkspace();
  const [name = ""] = useNames(subject.kind === "link" ? "linkId" : "folderId", [subject.id]);
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={share.title} about={share.about(name)} className="max-w-lg">
      <div className="grid grid-cols-1 gap-6">
        {canWrite ? <ShareForm subject={subject} /> : <p className="text-[13px] text-muted">{share.viewersOnly}</p>}
        <ShareList subject={subject} name={name} />
      </div>
    </Dialog>
  );
}
