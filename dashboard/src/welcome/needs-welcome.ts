import { answerOf } from "../../../sdk/client.ts";
import { waypostIn } from "../api/waypost.ts";
import type { Workspace } from "../api/workspace.tsx";

const name = (workspaceId: number) => `waypost-welcomed-${workspaceId}`;

/** Stores in this browser that the first run of a workspace is done. */
export function markWelcomed(workspaceId: number): void {
  localStorage.setItem(name(workspaceId), "yes");
}

/**
 * True when the first run is offered: once, to people who can create links, in a workspace without links. The root
 * links that domains have from the start do not count.
 */
export async function needsWelcome({ id, role }: Workspace): Promise<boolean> {
  if (role === "viewer" || localStorage.getItem(name(id)) !== null) return false;
  try {
    const query = { root: false, pageSize: 1 };
    const links = await answerOf(waypostIn(id).GET("/links", { params: { query } }));
    const isNew = links.length === 0;
    if (!isNew) markWelcomed(id);
    return isNew;
  } catch {
    // The links page will show the error.
    return false;
  }
}
