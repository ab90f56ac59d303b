import type { Actor } from "../access/actor.ts";
import { lockWorkspace } from "../access/workspaces.ts";
import { Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import { rootKey } from "../domains/domain.ts";
import { createLinkUnless } from "./create-link.ts";
import { normaliseDestination, urlHashOf } from "./destination-url.ts";
import { linksOf } from "./find-links.ts";
import type { Link, LinkChanges, NewLink } from "./link.ts";
import { newDestination } from "./link-fields.ts";
import { type LinkDeps, writtenKey } from "./new-links.ts";
import { updateLink } from "./update-link.ts";

/** Looks for the link; more than one deletion between look and change is not followed. */
const attemptsMax = 2;

/**
 * Updates the actor's link with this url, or makes one where there is none, and returns it.
 *
 * Found is the oldest link whose url is the one sent, else the oldest whose url is the one sent with its utm fields and
 * ref written in, so that the same input again finds what it has made and changes nothing. Root links are not found:
 * a short link was asked for. Of calls at the same moment one makes the link and the others find it.
 * Where the link is deleted before it can be changed, another is made. Throws what createLink and updateLink throw.
 */
export async function upsertLink(deps: LinkDeps, actor: Actor, input: NewLink): Promise<Link> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await updateOrCreate(deps, actor, input);
    } catch (error) {
      // The link that was found is gone, or else a folder is unknown, which it is again.
      const isGone = error instanceof Problem && error.code === "not_found";
      if (!isGone || attempt >= attemptsMax) throw error;
    }
  }
}

async function updateOrCreate(deps: LinkDeps, actor: Actor, input: NewLink): Promise<Link> {
  const schemes = deps.config.WAYPOST_APP_SCHEMES;
  const urls = [normaliseDestination(input.url, "url", schemes), newDestination(input, schemes).url];
  const known = await findByUrl(deps.db, actor, urls);
  // The key a link was given by chance stays, where a new one would be given such a key.
  const changes: LinkChanges = { ...input, key: writtenKey(input) };
  if (known !== undefined) return await updateLink(deps, actor, known, changes);
  const outcome = await createLinkUnless(deps, actor, input, async (tx) => {
    // Others that would make the same link wait here, and find it then.
    await lockWorkspace(tx, actor.workspaceId);
    return await findByUrl(tx, actor, urls);
  });
  return outcome.kind === "created" ? outcome.link : await updateLink(deps, actor, outcome.id, changes);
}

/** The id of the oldest link with the first of the urls that any has. */
async function findByUrl(db: Db, actor: Actor, urls: readonly string[]): Promise<string | undefined> {
  for (const url of new Set(urls)) {
    const link = await linksOf(db, actor.workspaceId)
      .clearSelect()
      .select("links.id")
      .where("links.urlHash", "=", urlHashOf(url))
      .where("links.url", "=", url)
      .where("links.key", "<>", rootKey)
      .orderBy("links.id")
      .limit(1)
      .executeTakeFirst();
    if (link !== undefined) return link.id;
  }
  return undefined;
}
