import type { Actor } from "../access/actor.ts";
import { requireFolderWriter } from "../access/folder-access.ts";
import { invalid, notFound } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { insertRows, prepared, type Slot } from "../database/prepared.ts";
import type { Folder } from "./folders.ts";
import type { LinkFields, LinkRow, LinkWithDomain } from "./link.ts";
import { foldName } from "./object-names.ts";
import { type Tag, tagsPerLinkMax } from "./tags.ts";

/**
 * The placement of links: their tags and their folder. One query reads the tags and one the folders of a whole call.
 */

/** The workspace's tags and folders that a caller named. */
type TagsAndFolders = {
  tagsById: Map<string, Tag>;
  tagsByName: Map<string, Tag>;
  folders: Map<string, OpenFolder>;
};

/** The tags and the folder of a link. */
export type LinkPlacement = { tags: Tag[]; folderId: string | null };

type OpenFolder = Pick<Folder, "id" | "accessLevel">;
/** The fields of an input that decide the placement. */
type PlacementFields = Pick<LinkFields, "tagId" | "tagIds" | "tagNames" | "folderId">;

/** The placement of a new link whose caller names none. */
export const unplaced: LinkPlacement = { tags: [], folderId: null };

/** Reads the tags and folders that the inputs name, for placeLink. */
export async function findTagsAndFolders(
  tx: Tx,
  workspaceId: number,
  inputs: readonly PlacementFields[],
): Promise<TagsAndFolders> {
  const ids = unique(inputs.flatMap(({ tagId, tagIds }) => [tagId ?? "", ...(tagIds ?? [])]));
  const names = unique(inputs.flatMap(({ tagNames }) => (tagNames ?? []).map(foldName)));
  const folderIds = unique(inputs.map(({ folderId }) => folderId ?? ""));
  const tags = await findTags(tx, workspaceId, ids, names);
  const folders = await findFolders(tx, workspaceId, folderIds);
  return {
    tagsById: new Map(tags.map(({ foldedName: _, ...tag }) => [tag.id, tag])),
    tagsByName: new Map(tags.map(({ foldedName, ...tag }) => [foldedName, tag])),
    folders: new Map(folders.map((folder) => [folder.id, folder])),
  };
}

/**
 * The placement of a link after the input; what the input leaves out stays. Tags named in several ways add up.
 * Throws "unprocessable_entity" for an unknown tag and beyond tagsPerLinkMax, "not_found" for an unknown folder,
 * "forbidden" for a folder that the actor must not fill.
 */
export function placeLink(
  tagsAndFolders: TagsAndFolders,
  actor: Actor,
  before: LinkPlacement,
  input: PlacementFields,
): LinkPlacement {
  return {
    tags: chooseTags(tagsAndFolders, before.tags, input),
    folderId: chooseFolder(tagsAndFolders, actor, before.folderId, input.folderId),
  };
}

/** Inserts the tags of new links. */
export async function storeTags(tx: Tx, links: readonly Pick<LinkRow, "id" | "tags">[]): Promise<void> {
  const rows = links.flatMap(({ id, tags }) => tags.map((tag, position) => ({ linkId: id, tagId: tag.id, position })));
  for (let start = 0; start < rows.length; start += rowsPerStatementMax) {
    await insertRows(tx, "linkTags", rows.slice(start, start + rowsPerStatementMax));
  }
}

/** Replaces the tags of links. */
export async function replaceTags(tx: Tx, links: readonly Pick<LinkRow, "id" | "tags">[]): Promise<void> {
  if (links.length === 0) return;
  await tx
    .deleteFrom("linkTags")
    .where(
      "linkId",
      "in",
      links.map(({ id }) => id),
    )
    .execute();
  await storeTags(tx, links);
}

/** The rows joined with their tags, in the same order, by one query. */
export async function withTags(db: Db, rows: readonly LinkWithDomain[]): Promise<LinkRow[]> {
  const tags = await tagsOfLinks(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, tags: tags.get(row.id) ?? [] }));
}

/** The tags of each link that has any, by the link's id, in the order of the link. */
export async function tagsOfLinks(db: Db, ids: readonly string[]): Promise<Map<string, Tag[]>> {
  const [first] = ids;
  if (first === undefined) return new Map();
  const found =
    ids.length === 1
      ? await selectTags(db, { linkId: first })
      : await linkTags(db).where("linkId", "in", ids).execute();
  const tags = new Map<string, Tag[]>();
  for (const { linkId, ...tag } of found) {
    const others = tags.get(linkId);
    if (others === undefined) tags.set(linkId, [tag]);
    else others.push(tag);
  }
  return tags;
}

function linkTags(db: Db) {
  return db
    .selectFrom("linkTags")
    .innerJoin("tags", "tags.id", "linkTags.tagId")
    .select(["linkTags.linkId", "tags.id", "tags.name", "tags.color"])
    .orderBy("linkTags.linkId")
    .orderBy("linkTags.position");
}

const selectTags = prepared((db, value: Slot<{ linkId: string }>) =>
  linkTags(db).where("linkId", "=", value("linkId")),
);

/** PostgreSQL accepts 65,535 values in a statement; a row here has three. */
const rowsPerStatementMax = 5_000;

function chooseTags(
  { tagsById, tagsByName }: TagsAndFolders,
  before: Tag[],
  { tagId, tagIds, tagNames }: PlacementFields,
): Tag[] {
  if (tagIds === undefined && tagNames === undefined) {
    // A response names the first tag in this field; a client that sends it back must not lose the other tags.
    if (tagId === undefined || (tagId ?? "") === (before[0]?.id ?? "")) return before;
  }
  const byId = (field: string) => (id: string) => tagsById.get(id) ?? unknownTag(field, id);
  const chosen = [
    ...(tagIds ?? []).map(byId("tagIds")),
    ...(tagNames ?? []).map((name) => tagsByName.get(foldName(name)) ?? unknownTag("tagNames", name)),
    ...(tagIds !== undefined || tagNames !== undefined || !tagId ? [] : [tagId].map(byId("tagId"))),
  ];
  const tags = [...new Map(chosen.map((tag) => [tag.id, tag])).values()];
  if (tags.length > tagsPerLinkMax) throw invalid("tagIds", `a link can have at most ${tagsPerLinkMax} tags.`);
  return tags;
}

function unknownTag(field: string, name: string): never {
  throw invalid(field, `this workspace has no tag ${name}.`);
}

function chooseFolder(
  { folders }: TagsAndFolders,
  actor: Actor,
  before: string | null,
  requested: string | null | undefined,
): string | null {
  if (requested === undefined || requested === before) return before;
  if (requested === null || requested === "") return null;
  const folder = folders.get(requested);
  if (folder === undefined) throw notFound("folder");
  requireFolderWriter(actor, folder);
  return folder.id;
}

async function findTags(tx: Tx, workspaceId: number, ids: string[], names: string[]) {
  if (ids.length === 0 && names.length === 0) return [];
  return await tx
    .selectFrom("tags")
    .select(["id", "name", "color", "foldedName"])
    .where("workspaceId", "=", workspaceId)
    .where((where) =>
      where.or([
        ...(ids.length === 0 ? [] : [where("id", "in", ids)]),
        ...(names.length === 0 ? [] : [where("foldedName", "in", names)]),
      ]),
    )
    .execute();
}

async function findFolders(tx: Tx, workspaceId: number, ids: string[]): Promise<OpenFolder[]> {
  if (ids.length === 0) return [];
  return await tx
    .selectFrom("folders")
    .select(["id", "accessLevel"])
    .where("workspaceId", "=", workspaceId)
    .where("id", "in", ids)
    .execute();
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== "");
}
