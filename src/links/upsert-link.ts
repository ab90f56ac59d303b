import type { Actor } from "../access/actor.ts";
import { lockWorkspace } from "../access/lock-workspace.ts";
import { invalid, Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import { rootKey } from "../domains/domain.ts";
import { createLink, createLinkUnless } from "./create-link.ts";
import { normalizeDestination, urlHashOf } from "./destination-url.ts";
import { externalIdOf, readExternalId } from "./external-id.ts";
import { linksOf } from "./find-links.ts";
import type { Link, LinkChanges, NewLink } from "./link.ts";
import { newDestination } from "./link-destination.ts";
import { isExternalIdTaken, type LinkDeps, writtenKey } from "./new-links.ts";
import { updateLink } from "./update-link.ts";

/** Attempts of an upsert while other calls create, delete or rename its link between the lookup and the write. */
const attemptsMax = 5;

/**
 * Updates the actor's link with this externalId, or else with this URL, or creates one; returns it.
 *
 * - With an externalId, only that is compared; the URL is not, and a key that another link has is a conflict.
 * - Without one, the oldest link whose URL is the sent one is updated, or else the oldest whose URL is the sent one
 *   with its utm fields and `ref` written in, so that repeating the input changes nothing. Root links are never found.
 *
 * Among simultaneous calls, one creates the link and the others find it. Throws what createLink and updateLink throw.
 */
export async function upsertLink(deps: LinkDeps, actor: Actor, input: NewLink): Promise<Link> {
  const externalId = readExternalId(input.externalId) ?? null;
  return await retryWhileLinkMoves(() =>
    externalId === null
      ? upsertByUrl(deps, actor, input)
      : upsertByExternalId(deps, actor, externalId, { ...input, key: writtenKey(input) }),
  );
}

/**
 * The id of the link that upsertLink would update; undefined if it would create one. Throws for bad URLs like
 * upsertLink.
 */
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
 * Updates a link like updateLink; if it is named by `ext_` and an externalId that no link has, creates it.
 * Also throws "unprocessable_entity" when it must create a link but has no URL, or another externalId than the name.
 */
export async function putLink(deps: LinkDeps, actor: Actor, linkId: string, input: LinkChanges): Promise<Link> {
  const externalId = readExternalId(externalIdOf(linkId));
  if (typeof externalId !== "string") return await updateLink(deps, actor, linkId, input);
  return await retryWhileLinkMoves(() => upsertByExternalId(deps, actor, externalId, input));
}

/** Runs the upsert, and repeats it when its link was created, deleted or renamed between lookup and write. */
async function retryWhileLinkMoves(upsert: () => Promise<Link>): Promise<Link> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await upsert();
    } catch (error) {
      // If a folder is not found, or another link has the externalId, the next attempt fails the same way.
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
    throw invalid("url", "is required, because no link has this externalId, so this request creates one.");
  if ((readExternalId(input.externalId) ?? externalId) !== externalId) {
    throw invalid(
      "externalId",
      "must match the one in the path, or be left out; this request creates a link with the one in the path.",
    );
  }
  return await createLink(deps, actor, { ...input, url, externalId });
}

async function upsertByUrl(deps: LinkDeps, actor: Actor, input: NewLink): Promise<Link> {
  const urls = urlsOf(input, deps.config.WAYPOST_APP_SCHEMES);
  const known = await findByUrl(deps.db, actor, urls);
  // A random key stays where a new link would get a random key.
  const changes: LinkChanges = { ...input, key: writtenKey(input) };
  if (known !== undefined) return await updateLink(deps, actor, known, changes);
  const outcome = await createLinkUnless(deps, actor, input, async (tx) => {
    // Other calls that would create the same link wait here and then find it.
    await lockWorkspace(tx, actor.workspaceId);
    return await findByUrl(tx, actor, urls);
  });
  return outcome.kind === "created" ? outcome.link : await updateLink(deps, actor, outcome.id, changes);
}

/** The URLs that find a link: as sent, and with its utm fields and `ref` written in. */
function urlsOf(input: NewLink, appSchemes: readonly string[]): string[] {
  return [normalizeDestination(input.url, "url", appSchemes), newDestination(input, appSchemes).url];
}

async function findByExternalId(db: Db, actor: Actor, externalId: string): Promise<string | undefined> {
  const link = await linksOf(db, actor.workspaceId)
    .clearSelect()
    .select("links.id")
    .where("links.externalId", "=", externalId)
    .executeTakeFirst();
  return link?.id;
}

/** The id of the oldest link with the first of these URLs that any link has. */
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
