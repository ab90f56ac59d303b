import { DeleteLinksDialog, MoveLinksDialog, TagLinksDialog } from "./bulk-dialogs.tsx";
import type { BulkAct } from "./links-page.tsx";

/** The window that asks about what is to be done with links. */
export function BulkWindows({ act, onClose }: { act: BulkAct; onClose(): void }) {
  const onDone = () => {
    act.onDone?.(act.links);
    onClose();
  };
  const props = { links: act.links, onClose, onDone };
  switch (act.kind) {
    case "tag":
      return <TagLinksDialog {...props} />;
    case "move":
      return <MoveLinksDialog {...props} />;
    case "remove":
      return <DeleteLinksDialog {...props} />;
  }
}
