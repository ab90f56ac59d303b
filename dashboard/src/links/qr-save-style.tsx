import { Bookmark } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { useNotify, useNotifyFailure } from "../ui/toasts.tsx";
import type { QrStyle } from "./qr-style.ts";
import { useQrStyleSave } from "./use-qr-style.ts";

/** A button that makes a style the one with which all members of the workspace start. */
export function SaveStyle({ style }: { style: QrStyle }) {
  const { qr } = useTexts().links;
  const notify = useNotify();
  const notifyFailure = useNotifyFailure();
  const save = useQrStyleSave();
  return (
    <Button
      variant="quiet"
      size="small"
      isBusy={save.isPending}
      onClick={() =>
        save.mutate(style, {
          onSuccess: () => notify({ kind: "done", text: qr.styleSaved }),
          onError: notifyFailure,
        })
      }
      className="justify-self-center"
    >
      <Bookmark aria-hidden />
      {qr.saveStyle}
    </Button>
  );
}
