import type { Actor } from "../access/actor.ts";
import { requireFolderLinksWriter } from "../access/folder-access.ts";
import type { Db } from "../database/database.ts";
import { rootKey } from "../domains/domain.ts";
import { requireEditor } from "../domains/domains.ts";
import type { LinkRow } from "./link.ts";

/**
 * Lets those pass who may change or delete all of these links, or throws "forbidden". Every verb that changes links asks
 * here, so that no path around a rule is left: the root link of the instance's domain, and links in folders for owners
 * only, are for owners.
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
