import type { Actor } from "../access/actor.ts";
import { passwordHashOf } from "../access/password-hash.ts";
import { Problem } from "../base/problem.ts";
import { mapInSlices } from "../base/time-slices.ts";
import { transact } from "../database/transact.ts";
import { warnOfInput } from "./apply-fields.ts";
import { bytesOfLinks, lockLinks } from "./find-links.ts";
import { type Link, type LinkChanges, type LinkRow, toLink } from "./link.ts";
import { requireLinkWriter } from "./link-access.ts";
import { readPassword } from "./link-password.ts";
import { findTagsAndFolders, placeLink, unplaced } from "./link-placement.ts";
import type { LinkDeps } from "./new-links.ts";
import { changedLink, storeChanges } from "./update-link.ts";

/** Bytes of all links of one call: as many are read, written, and recorded before and after. */
export const changedBytesMax = 2 * 1024 ** 2;

/** Changes that several links can share: without fields that must be unique. */
type SharedChanges = Omit<LinkChanges, "domain" | "key" | "externalId">;

/** The changed links in the order of their names, and the names without a link. */
type UpdatedLinks = { links: Link[]; missing: string[] };

/**
 * Applies the same changes to several links of the actor's workspace, to all or none; `ids` may hold `ext_` names. A
 * password is set on each of them.
 * Throws what updateLink throws for any of them except "not_found", and "payload_too_large" for links with more than
 * changedBytesMax bytes together.
 */
export async function updateLinks(
  deps: LinkDeps,
  actor: Actor,
  ids: readonly string[],
  input: SharedChanges,
): Promise<UpdatedLinks> {
  const bytes = await bytesOfLinks(deps.db, actor.workspaceId, ids);
  if (bytes > changedBytesMax) {
    throw new Problem(
      "payload_too_large",
      `These links have ${bytes} bytes, too many to change at once; list fewer links.`,
    );
  }
  warnOfInput(deps, input);
  const password = readPassword(input.password);
  const hashFor = { workspaceId: actor.workspaceId, signal: deps.signal };
  const passwordHash = typeof password === "string" ? await passwordHashOf(password, hashFor) : password;
  return await transact(deps.db, async (tx) => {
    const linksBefore = await lockLinks(tx, actor.workspaceId, ids);
    await requireLinkWriter(tx, actor, linksBefore);
    const tagsAndFolders = await findTagsAndFolders(tx, actor.workspaceId, [input]);
    placeLink(tagsAndFolders, actor, unplaced, input); // Refuses an unknown tag even when no link is found.
    const changes = await mapInSlices(linksBefore, (before) => {
      const changed = { ...changedLink(deps, before, input), ...placeLink(tagsAndFolders, actor, before, input) };
      return { before, after: passwordHash === undefined ? changed : { ...changed, passwordHash } };
    });
    const stored = await storeChanges(tx, deps, actor, changes);
    const byName = new Map(stored.flatMap((link) => namesOf(link).map((name) => [name, link] as const)));
    const named = new Set(ids.flatMap((id) => byName.get(id) ?? []));
    return { links: await mapInSlices(named, toLink), missing: [...new Set(ids)].filter((id) => !byName.has(id)) };
  });
}

/** The names by which a caller may have named the link. */
function namesOf({ id, externalId }: LinkRow): string[] {
  return externalId === null ? [id] : [id, `ext_${externalId}`];
}
