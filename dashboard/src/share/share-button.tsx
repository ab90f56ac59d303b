import { Share2 } from "lucide-react";
import { useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { IconButton } from "../ui/button.tsx";
import { useLazyComponent } from "../ui/use-lazy-component.ts";

const loadDialog = async () => (await import("./report-share-dialog.tsx")).ReportShareDialog;

/** Shares the link or folder that the report is filtered by. */
export function ShareButton() {
  const { share } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const ShareDialog = useLazyComponent(loadDialog, isOpen, () => setOpen(false));
  return (
    <>
      <IconButton
        label={share.title}
        className="size-9 border border-line bg-surface shadow-card"
        onClick={() => setOpen(true)}
      >
        <Share2 aria-hidden />
      </IconButton>
      {ShareDialog !== undefined && <ShareDialog isOpen={isOpen} onClose={() => setOpen(false)} />}
    </>
  );
}
