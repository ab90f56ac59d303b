import type { Link } from "./links-api.ts";

/** Whether all, some or none of several links have a tag. */
type TagShare = "all" | "some" | "none";

/** How many of the links have a tag; "none" for no links. */
export function tagShare(links: readonly Pick<Link, "tags">[], tagId: string): TagShare {
  const count = links.filter(({ tags }) => tags.some(({ id }) => id === tagId)).length;
  if (count === 0) return "none";
  return count === links.length ? "all" : "some";
}

/** Links that end up with the same tags. */
type TagSet = { tagIds: string[]; linkIds: string[] };

/**
 * Applies added (true) and removed (false) tags to links. The API replaces all tags of a link, so links with equal
 * results are grouped; unchanged links are left out.
 */
export function tagSets(links: readonly Pick<Link, "id" | "tags">[], changes: ReadonlyMap<string, boolean>): TagSet[] {
  const sets = new Map<string, TagSet>();
  const added = [...changes].flatMap(([id, isAdded]) => (isAdded ? [id] : []));
  for (const { id, tags } of links) {
    const before = tags.map((tag) => tag.id);
    const after = [
      ...before.filter((tag) => changes.get(tag) !== false),
      ...added.filter((tag) => !before.includes(tag)),
    ];
    if (after.length === before.length && after.every((tag) => before.includes(tag))) continue;
    const set = sets.get(after.join(",")) ?? { tagIds: after, linkIds: [] };
    set.linkIds.push(id);
    sets.set(after.join(","), set);
  }
  return [...sets.values()];
}
