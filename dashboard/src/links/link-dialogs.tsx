import { useWorkspace } from "../api/workspace.tsx";
import { CreateLink, EditLink } from "./editor/link-editor.tsx";
import { FoldersDialog } from "./folders-dialog.tsx";
import { HistoryDrawer } from "./history-drawer.tsx";
import { LinkShareDialog } from "./link-share-dialog.tsx";
import { noDialog } from "./links-search.ts";
import { QrDialog } from "./qr-dialog.tsx";
import { TagsDialog } from "./tags-dialog.tsx";
import { useLinksSearch } from "./use-links-search.ts";
import { WhyDrawer } from "./why-drawer.tsx";

/** The dialog over the list that the URL names. */
export function LinkDialogs() {
  const { canWrite } = useWorkspace();
  const { search, change } = useLinksSearch();
  const close = () => change(noDialog);
  const { create, url, copy, edit, history, why, qr, share, manage } = search;
  if (create && canWrite) return <CreateLink key={`${copy} ${url}`} copied={copy} url={url} />;
  if (edit !== undefined) return <EditLink key={edit} linkId={edit} />;
  if (qr !== undefined) return <QrDialog linkId={qr} onClose={close} />;
  if (share !== undefined) return <LinkShareDialog linkId={share} onClose={close} />;
  if (history !== undefined) return <HistoryDrawer linkId={history} onClose={close} />;
  if (why !== undefined) return <WhyDrawer linkId={why} onClose={close} />;
  if (manage === "tags") return <TagsDialog onClose={close} />;
  if (manage === "folders") return <FoldersDialog onClose={close} />;
  return null;
}
