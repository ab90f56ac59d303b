import { Bookmark } from "lucide-react";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { useNotify } from "../ui/toasts.tsx";
import { type QrStyle, saveDefaultStyle } from "./qr-style.ts";

/** A button that makes a style the one with which codes of this workspace start, in this browser. */
export function SaveDefault({ style }: { style: QrStyle }) {
  const { qr } = useTexts().links;
  const { id } = useWorkspace();
  const notify = useNotify();
  const save = () => {
    saveDefaultStyle(id, style);
    notify({ kind: "done", text: qr.defaultSaved });
  };
  return (
    <Button variant="quiet" size="small" onClick={save} className="justify-self-center">
      <Bookmark aria-hidden />
      {qr.saveDefault}
    </Button>
  );
}
