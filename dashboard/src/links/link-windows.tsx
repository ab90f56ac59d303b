import { useWorkspace } from "../api/workspace.tsx";
import { CreateLink, EditLink } from "./editor/link-editor.tsx";
import { HistoryWindow } from "./history-window.tsx";
import { noWindow } from "./links-search.ts";
import { ManageWindow } from "./manage-window.tsx";
import { QrWindow } from "./qr-window.tsx";
import { useLinksSearch } from "./use-links-search.ts";
import { WhyWindow } from "./why-window.tsx";

/** The window over the list that the address names. */
export function LinkWindows() {
  const { canWrite } = useWorkspace();
  const { search, change } = useLinksSearch();
  const close = () => change(noWindow);
  const { create, copy, edit, history, why, qr, manage } = search;
  if (create && canWrite) return <CreateLink key={copy} copied={copy} />;
  if (edit !== undefined) return <EditLink key={edit} linkId={edit} />;
  if (qr !== undefined) return <QrWindow linkId={qr} onClose={close} />;
  if (history !== undefined) return <HistoryWindow linkId={history} onClose={close} />;
  if (why !== undefined) return <WhyWindow linkId={why} onClose={close} />;
  if (manage !== undefined) return <ManageWindow kind={manage} onClose={close} />;
  return null;
}
