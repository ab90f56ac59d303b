import type { Schemas } from "../../../sdk/client.ts";
import type { Format } from "../base/format.ts";
import type { Texts } from "../texts/en/en.ts";

type Folder = Pick<Schemas["Folder"], "id" | "name">;
type Share = Pick<Schemas["Share"], "id" | "name" | "folderId" | "createdAt">;
type Words = { notifications: Texts["notifications"]; format: Pick<Format, "day"> };

/** The name of a share: its own or its folder's, else when it was shared. */
export function shareName(share: Share, folders: readonly Folder[], { notifications, format }: Words): string {
  const folder = folders.find(({ id }) => id === share.folderId);
  return share.name ?? folder?.name ?? notifications.unnamedShare(format.day(share.createdAt));
}

/** The name of what a notification is about. */
export function subjectName(
  { folderId, shareId }: { folderId: string | null; shareId: string | null },
  { folders, shares }: { folders: readonly Folder[]; shares: readonly Share[] },
  words: Words,
): string {
  const { notifications } = words;
  if (shareId !== null) {
    const share = shares.find(({ id }) => id === shareId);
    return share === undefined ? notifications.goneSubject : shareName(share, folders, words);
  }
  if (folderId === null) return notifications.wholeWorkspace;
  return folders.find(({ id }) => id === folderId)?.name ?? notifications.goneSubject;
}
