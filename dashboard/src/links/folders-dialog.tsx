import { FolderClosed, Lock } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Switch } from "../ui/switch.tsx";
import { type Folder, useFolders } from "./links-api.ts";
import { ItemForm, ManageDialog, ManagedItem, useLinkCounts } from "./manage-dialog.tsx";

/** Creates, renames, closes and deletes the workspace's folders. */
export function FoldersDialog({ onClose }: { onClose(): void }) {
  const { manage } = useTexts().links;
  const { canWrite, isOwner } = useWorkspace();
  const counts = useLinkCounts("folderId");
  const lock = (
    <span title={manage.forOwners}>
      <Lock className="size-3.5 text-faint" aria-label={manage.forOwners} role="img" />
    </span>
  );
  return (
    <ManageDialog
      noun="folders"
      query={useFolders()}
      create={(api, name) => answerOf(api.POST("/folders", { body: { name } }))}
      onClose={onClose}
    >
      {(folder) => (
        <ManagedItem
          key={folder.id}
          noun="folders"
          item={folder}
          icon={<FolderClosed className="size-4 shrink-0 text-faint" aria-hidden />}
          mark={isOwnersOnly(folder) && lock}
          linksCount={counts.get(folder.id) ?? 0}
          isEditable={canWrite && (isOwner || !isOwnersOnly(folder))}
          remove={(api) => answerOf(api.DELETE("/folders/{id}", { params: { path: { id: folder.id } } }))}
          editForm={(onDone) => <FolderForm folder={folder} onClose={onDone} />}
        />
      )}
    </ManageDialog>
  );
}

function FolderForm({ folder, onClose }: { folder: Folder; onClose(): void }) {
  const { manage } = useTexts().links;
  const { isOwner } = useWorkspace();
  const [name, setName] = useState(folder.name);
  const [isClosed, setClosed] = useState(isOwnersOnly(folder));
  const accessLevel = isClosed ? ("read" as const) : ("write" as const);
  const body = { name, ...(isClosed !== isOwnersOnly(folder) && { accessLevel }) };
  const accessField = isOwner && (
    <div className="px-1 pb-1">
      <Switch label={manage.forOwners} hint={manage.forOwnersHint} checked={isClosed} onChange={setClosed} />
    </div>
  );
  return (
    <ItemForm
      noun="folders"
      name={name}
      onName={setName}
      below={accessField}
      save={(api) => answerOf(api.PATCH("/folders/{id}", { params: { path: { id: folder.id } }, body }))}
      onClose={onClose}
    />
  );
}

/** True while only owners may edit the folder and put links into it. */
function isOwnersOnly({ accessLevel }: Folder): boolean {
  return accessLevel !== "write";
}
