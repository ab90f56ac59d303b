import type { Actor } from "../access/actor.ts";
import { type DomainRow, findDefaultDomain, findDomainForFilter } from "../domains/domains.ts";
import { foldKey, readKey } from "./key.ts";
import type { LinkDeps } from "./new-links.ts";
import { findReleases } from "./released-keys.ts";

/**
 * True if no new link of the actor's workspace can have the key: a link has it, or another workspace that gave it up
 * still holds it. Without a domain, asks about the domain of links that name none.
 * Throws "unprocessable_entity" for an impossible key and "forbidden" for a reserved one, as creating a link with it
 * does, and "not_found" for a domain that the workspace does not have.
 */
export async function isKeyTaken(
  deps: Pick<LinkDeps, "config" | "db" | "now">,
  actor: Actor,
  { domain: slug, key }: { domain?: string | undefined; key: string },
): Promise<boolean> {
  const domain =
    slug === undefined
      ? await findDefaultDomain(deps.db, actor.workspaceId, deps)
      : await findDomainForFilter(deps.db, actor.workspaceId, slug);
  const foldedKey = foldKey(readKey(key, domain), domain.caseSensitive === 1);
  return (await hasLink(deps, domain, foldedKey)) || (await isHeld(deps, actor, domain, foldedKey));
}

async function hasLink({ db }: Pick<LinkDeps, "db">, domain: DomainRow, foldedKey: string): Promise<boolean> {
  const link = await db
    .selectFrom("links")
    .select("id")
    .where("domainId", "=", domain.id)
    .where("foldedKey", "=", foldedKey)
    .executeTakeFirst();
  return link !== undefined;
}

async function isHeld(
  { db, now }: Pick<LinkDeps, "db" | "now">,
  { workspaceId }: Actor,
  { id: domainId }: DomainRow,
  foldedKey: string,
): Promise<boolean> {
  const releases = await findReleases(db, { domainId, foldedKeys: [foldedKey], workspaceId }, now());
  return typeof releases.get(foldedKey) === "number";
}
