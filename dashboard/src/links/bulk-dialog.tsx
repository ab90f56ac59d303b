import { DeleteLinksDialog, MoveLinksDialog, TagLinksDialog } from "./bulk-dialogs.tsx";
import type { BulkAction } from "./link-actions.ts";
import type { Link } from "./links-api.ts";
import { QrZipDialog } from "./qr-zip-dialog.tsx";

/** The dialog of a bulk action. */
export function BulkDialog({ action, onClose }: { action: BulkAction; onClose(): void }) {
  const onDone = (changed: readonly Link[]) => {
    action.onDone?.(changed);
    onClose();
  };
  const props = { links: action.links, onClose, onDone };
  switch (action.kind) {
    case "tag":
      return <TagLinksDialog {...props} />;
    case "move":
      return <MoveLinksDialog {...props} />;
    case "remove":
      return <DeleteLinksDialog {...props} />;
    case "qrCodes":
      return <QrZipDialog links={action.links} onClose={onClose} />;
  }
}
