import { answerOf } from "../../../sdk/client.ts";
import { rootKey } from "../api/short-link.ts";
import { waypostIn } from "../api/waypost.ts";
import type { Workspace } from "../api/workspace.tsx";

const name = (workspaceId: number) => `waypost-welcomed-${workspaceId}`;

/** Notes in this browser that the first run of a workspace is done with. */
export function markWelcomed(workspaceId: number): void {
  localStorage.setItem(name(workspaceId), "yes");
}

/**
 * Whether the first run is offered: to who can make links, in a workspace that has none, once. Every domain has a root
 * link from its start, which is none that anybody made.
 */
export async function needsWelcome({ id, role }: Workspace): Promise<boolean> {
  if (role === "viewer" || localStorage.getItem(name(id)) !== null) return false;
  try {
    const links = await answerOf(waypostIn(id).GET("/links"));
    const isNew = links.every(({ key }) => key === rootKey);
    if (!isNew) markWelcomed(id);
    return isNew;
  } catch {
    // The page of links will say what is wrong.
    return false;
  }
}
