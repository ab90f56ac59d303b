import { FolderClosed, Link2, Share2 } from "lucide-react";
import { useState } from "react";
import { FilterMenu } from "../reports/filter-popover.tsx";
import { useNames } from "../reports/names.ts";
import { useView } from "../reports/view.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/states.tsx";
import { ShareDialog } from "./share-dialog.tsx";
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
        <NamedShareDialog subject={subject} isOpen={isOpen} onClose={() => setOpen(false)} />
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

function NamedShareDialog(props: { subject: ShareSubject; isOpen: boolean; onClose(): void }) {
  const { kind, id } = props.subject;
  const [name = ""] = useNames(kind === "link" ? "linkId" : "folderId", [id]);
  return <ShareDialog {...props} name={name} />;
}
