import type { Db } from "../database/database.ts";
import { findLink } from "../links/find-links.ts";
import { shortLinkOf } from "../links/short-link.ts";
import { type DueNotification, readerOf } from "./due-notifications.ts";

/** What a notification is about: its name in mails, its clicks, and the page that shows them. */
export type NotificationSubject = {
  name: string;
  /** The filter of its clicks; none for the workspace. */
  scope: { linkId?: string; folderId?: string };
  /** The page of its analytics. */
  page: URL;
  /** The time since which it exists. */
  createdAt: number;
};

/** The subject of a notification; undefined for a share that has expired. Throws "not_found" for a deleted link. */
export async function findSubject(
  db: Db,
  due: DueNotification,
  { now, appUrl }: { now: number; appUrl: URL },
): Promise<NotificationSubject | undefined> {
  const { workspaceId, workspace, workspaceCreatedAt, folderId, folder, folderCreatedAt, shareToken } = due;
  const page = new URL(`/app/w/${workspaceId}/analytics`, appUrl);
  if (shareToken !== null) {
    const { shareName, shareLinkId, shareFolderId, shareExpiresAt } = due;
    if (shareExpiresAt !== null && shareExpiresAt <= now) return undefined;
    const sharePage = new URL(`/app/shares/${shareToken}`, appUrl);
    if (shareLinkId !== null) {
      const link = await findLink({ db }, readerOf(due), shareLinkId);
      const name = shareName ?? shownLink(shortLinkOf(link, appUrl));
      return { name, scope: { linkId: link.id }, page: sharePage, createdAt: link.createdAt };
    }
    if (shareFolderId === null || folder === null) return undefined;
    const createdAt = folderCreatedAt ?? workspaceCreatedAt;
    return { name: shareName ?? folder, scope: { folderId: shareFolderId }, page: sharePage, createdAt };
  }
  if (folderId === null) return { name: workspace, scope: {}, page, createdAt: workspaceCreatedAt };
  page.searchParams.set("folderId", folderId);
  return { name: folder ?? "", scope: { folderId }, page, createdAt: folderCreatedAt ?? workspaceCreatedAt };
}

/** A short link as people write it, without its scheme. */
export function shownLink(shortLink: string): string {
  return shortLink.replace(/^https?:\/\//, "");
}
