import type { Actor } from "../access/actor.ts";
import { lockWorkspace } from "../access/workspaces.ts";
import { invalid, Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import { rootKey } from "../domains/domain.ts";
import { createLink, createLinkUnless } from "./create-link.ts";
import { normaliseDestination, urlHashOf } from "./destination-url.ts";
import { externalIdOf, readExternalId } from "./external-id.ts";
import { linksOf } from "./find-links.ts";
import type { Link, LinkChanges, NewLink } from "./link.ts";
import { newDestination } from "./link-destination.ts";
import { isExternalIdTaken, type LinkDeps, writtenKey } from "./new-links.ts";
import { updateLink } from "./update-link.ts";

/** How often an upsert looks for its link, when others create, delete or rename it between the look and the write. */
const attemptsMax = 5;

/**
 * Updates the actor's link with this externalId, or else with this url, or makes one where there is none; returns it.
 *
 * - With an externalId, that alone decides: the url is not compared, and a key that another link holds is a conflict.
 * - Without one, found is the oldest link whose url is the one sent, else the oldest whose url is the one sent with its
 *   utm fields and ref written in, so that the same input again finds what it has made and changes nothing. Root links
 *   are not found: a short link was asked for.
 *
 * Of calls at the same moment one makes the link and the others find it. Throws what createLink and updateLink throw.
 */
export async function upsertLink(deps: LinkDeps, actor: Actor, input: NewLink): Promise<Link> {
  const externalId = readExternalId(input.externalId) ?? null;
  return await whileLinkMoves(() =>
    externalId === null
      ? upsertByUrl(deps, actor, input)
      : upsertByExternalId(deps, actor, externalId, { ...input, key: writtenKey(input) }),
  );
}

/** The id of the link that upsertLink would update; undefined where it would make one. Throws as upsertLink for bad urls. */
export async function findUpserted(
  { db, config }: Pick<LinkDeps, "db" | "config">,
  actor: Actor,
  input: NewLink,
): Promise<string | undefined> {
  const externalId = readExternalId(input.externalId) ?? null;
  if (externalId === null) return await findByUrl(db, actor, urlsOf(input, config.WAYPOST_APP_SCHEMES));
  return await findByExternalId(db, actor, externalId);
}

/**
 * Updates a link as updateLink does; one that is named by `ext_` and an externalId that no link has is made.
 * Throws also "unprocessable_entity" where one has to be made without a url, or with another externalId than it is named
 * by.
 */
export async function putLink(deps: LinkDeps, actor: Actor, linkId: string, input: LinkChanges): Promise<Link> {
  const externalId = readExternalId(externalIdOf(linkId));
  if (typeof externalId !== "string") return await updateLink(deps, actor, linkId, input);
  return await whileLinkMoves(() => upsertByExternalId(deps, actor, externalId, input));
}

/** Runs the upsert, and again where its link was created, deleted or renamed between its look and its write. */
async function whileLinkMoves(upsert: () => Promise<Link>): Promise<Link> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await upsert();
    } catch (error) {
      // A folder may be what is not found, or the externalId another link's: then the next attempt fails likewise.
      const hasMoved = error instanceof Problem && (error.code === "not_found" || isExternalIdTaken(error));
      if (!hasMoved || attempt >= attemptsMax) throw error;
    }
  }
}

async function upsertByExternalId(
  deps: LinkDeps,
  actor: Actor,
  externalId: string,
  input: Omit<NewLink, "url"> & Pick<LinkChanges, "url">,
): Promise<Link> {
  const known = await findByExternalId(deps.db, actor, externalId);
  if (known !== undefined) return await updateLink(deps, actor, known, input);
  const { url } = input;
  if (url === undefined)
    throw invalid("url", "is required, because no link has this externalId and this call would create one.");
  if ((readExternalId(input.externalId) ?? externalId) !== externalId) {
    throw invalid("externalId", "must be the one in the path, or left out: no link has that one, so it is made.");
  }
  return await createLink(deps, actor, { ...input, url, externalId });
}

async function upsertByUrl(deps: LinkDeps, actor: Actor, input: NewLink): Promise<Link> {
  const urls = urlsOf(input, deps.config.WAYPOST_APP_SCHEMES);
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

/** The urls that a link is found by: as sent, and with its utm fields and ref written in. */
function urlsOf(input: NewLink, appSchemes: readonly string[]): string[] {
  return [normaliseDestination(input.url, "url", appSchemes), newDestination(input, appSchemes).url];
}

async function findByExternalId(db: Db, actor: Actor, externalId: string): Promise<string | undefined> {
  const link = await linksOf(db, actor.workspaceId)
    .clearSelect()
    .select("links.id")
    .where("links.externalId", "=", externalId)
    .executeTakeFirst();
  return link?.id;
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
