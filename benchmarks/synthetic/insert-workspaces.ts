import { insertWorkspace } from "../../src/access/workspaces.ts";
import { newId } from "../../src/base/ids.ts";
import type { Db } from "../../src/database/database.ts";
import type { Tx } from "../../src/database/outbox.ts";
import { insertRows } from "../../src/database/prepared.ts";
import { tagColors } from "../../src/database/schema.ts";
import { transact } from "../../src/database/transact.ts";
import { insertDomain } from "../../src/domains/domains.ts";
import { workspaceName } from "./names.ts";

/** A domain, as clicks name it. */
type GeneratedDomain = { domainId: string; domain: string };

/** A workspace with the domains, folders and tags for its links; it has at least one domain. */
export type GeneratedWorkspace = {
  workspaceId: number;
  host: string;
  domains: GeneratedDomain[];
  folderIds: string[];
  tagIds: string[];
};

/** The numbers of links with which a workspace gets a second and a third domain. */
const linksOfTwoDomains = 100;
const linksOfThreeDomains = 1_000;
const folderNames = ["Campaigns", "Social media", "Products", "Events", "Partners", "Print"];
const tagNames = ["spring", "summer", "autumn", "winter", "sale", "launch", "evergreen", "test"];

/** The owner of all workspaces, and the existing workspace with the instance's domain. */
type FirstWorkspace = { userId: string; workspaceId: number; instanceDomain: GeneratedDomain };

/**
 * Inserts a workspace for each number of links, with verified domains, folders and tags, all with the same owner. The
 * first workspace is the existing one, which is made as old as the others.
 */
export async function insertWorkspaces(
  db: Db,
  first: FirstWorkspace,
  linkCounts: readonly number[],
  now: number,
): Promise<GeneratedWorkspace[]> {
  const workspaces: GeneratedWorkspace[] = [];
  await db.updateTable("workspaces").set({ createdAt: now }).where("id", "=", first.workspaceId).execute();
  for (const [index, links] of linkCounts.entries()) {
    const { name, host } = workspaceName(index);
    const workspace = await transact(db, async (tx) => {
      const workspaceId = index === 0 ? first.workspaceId : await insertWorkspace(tx, first.userId, name, now);
      const owner = { workspaceId, userId: first.userId };
      const domains = index === 0 ? [first.instanceDomain] : [];
      const wanted = 1 + Number(links >= linksOfTwoDomains) + Number(links >= linksOfThreeDomains);
      for (const slug of [`go.${host}`, `qr.${host}`, host].slice(0, wanted - domains.length)) {
        const { id } = await insertDomain(tx, owner, { slug, status: "verified", isInstance: 0 }, {}, now);
        domains.push({ domainId: id, domain: slug });
      }
      return { workspaceId, host, domains, ...(await insertFoldersAndTags(tx, workspaceId, now)) };
    });
    workspaces.push(workspace);
  }
  return workspaces;
}

async function insertFoldersAndTags(tx: Tx, workspaceId: number, now: number) {
  const folders = folderNames.map((name) => ({
    id: newId("fold", now),
    workspaceId,
    name,
    foldedName: name.toLowerCase(),
    description: null,
    accessLevel: null,
    createdAt: now,
    updatedAt: now,
  }));
  const tags = tagNames.map((name, index) => ({
    id: newId("tag", now),
    workspaceId,
    name,
    foldedName: name,
    color: tagColors[index % tagColors.length] ?? "blue",
    createdAt: now,
  }));
  await insertRows(tx, "folders", folders);
  await insertRows(tx, "tags", tags);
  return { folderIds: folders.map(({ id }) => id), tagIds: tags.map(({ id }) => id) };
}
