import type { Actor } from "../access/actor.ts";
import { requireFolderLinksWriter } from "../access/folder-access.ts";
import type { Db } from "../database/database.ts";
import { rootKey } from "../domains/domain.ts";
import { requireEditor } from "../domains/domains.ts";
import type { LinkRow } from "./link.ts";

/**
 * Throws "forbidden" unless the actor may change or delete all of these links. Every verb that changes links calls it.
 * Only owners may change the root link of the instance's domain, and links in folders for owners.
 */
export async function requireLinkWriter(
  db: Db,
  actor: Actor,
  links: readonly Pick<LinkRow, "key" | "isInstance" | "folderId">[],
): Promise<void> {
  for (const link of links) if (link.key === rootKey) requireEditor(actor, link);
  await requireFolderLinksWriter(
    db,
    actor,
    links.map(({ folderId }) => folderId),
  );
}
