import { FolderClosed, Link2, Share2 } from "lucide-react";
import { FilterMenu } from "../reports/filter-popover.tsx";
import { useNames } from "../reports/names.ts";
import { useView } from "../reports/view.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/states.tsx";
import { ShareDialog } from "./share-dialog.tsx";
import { type ShareSubject, subjectOf } from "./share-subject.ts";

type DialogProps = { isOpen: boolean; onClose(): void };

/** Shares the link or folder that the report is filtered by; without one, offers to choose it. */
export function ReportShareDialog({ isOpen, onClose }: DialogProps) {
  const { share } = useTexts();
  const { search } = useView();
  const subject = subjectOf(search);
  if (subject !== undefined) return <NamedShareDialog subject={subject} isOpen={isOpen} onClose={onClose} />;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={share.title}>
      <ChooseFirst />
    </Dialog>
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

function NamedShareDialog(props: DialogProps & { subject: ShareSubject }) {
  const { kind, id } = props.subject;
  const [name = ""] = useNames(kind === "link" ? "linkId" : "folderId", [id]);
  return <ShareDialog {...props} name={name} />;
}
