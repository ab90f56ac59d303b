/** The links that the person opened last, kept in this browser: only their ids, since others may use the browser too. */

/** Links that are remembered in each workspace. */
export const recentLinksMax = 5;

function storeKey(workspaceId: number): string {
  return `waypost recent links ${workspaceId}`;
}

/** The ids of the links that were opened last, the latest first. */
export function recentLinkIds(workspaceId: number): string[] {
  try {
    const ids = localStorage.getItem(storeKey(workspaceId))?.split(",") ?? [];
    return ids.filter((id) => id.startsWith("link_")).slice(0, recentLinksMax);
  } catch {
    // The browser allows no storage.
    return [];
  }
}

/** Remembers that a link was opened. */
export function rememberLink(workspaceId: number, linkId: string): void {
  const ids = [linkId, ...recentLinkIds(workspaceId).filter((id) => id !== linkId)];
  try {
    localStorage.setItem(storeKey(workspaceId), ids.slice(0, recentLinksMax).join(","));
  } catch {
    // As above; the palette then offers the newest links.
  }
}
