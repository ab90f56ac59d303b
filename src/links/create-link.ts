import type { Actor } from "../access/actor.ts";
import { passwordHashOf } from "../access/password-hash.ts";
import { requireRoom } from "../access/workspace-limits.ts";
import type { Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { checkTargets } from "./check-targets.ts";
import { randomKeyAttemptsMax } from "./key.ts";
import { type Link, type NewLink, toLink } from "./link.ts";
import { findTagsAndFolders, placeLink, unplaced } from "./link-placement.ts";
import {
  asConflict,
  chooseDomain,
  chooseKey,
  draftLink,
  insertLinks,
  isKeyTaken,
  type LinkDeps,
  newLink,
  writtenKey,
} from "./new-links.ts";
import { KeyHeld, warnOfReuse } from "./released-keys.ts";

/**
 * Creates a link in the actor's workspace and returns it.
 * Without a key, the link gets a random one; a taken one is replaced by another, and after some attempts by longer
 * ones.
 * Throws "unprocessable_entity" or "bad_request" for bad input, "forbidden" for a reserved key or a domain that the
 * workspace cannot use, "conflict" for a key or externalId in use, "not_found" for an unknown folder.
 */
export async function createLink(deps: LinkDeps, actor: Actor, input: NewLink): Promise<Link> {
  const outcome = await createLinkUnless(deps, actor, input, async () => undefined);
  if (outcome.kind === "created") return outcome.link;
  throw new Error("createLink found a link although it looks for none.");
}

/** Either the created link, or the id of the link that the lookup found. */
type CreationOutcome = { kind: "created"; link: Link } | { kind: "found"; id: string };

/** Like createLink, unless `lookUp`, called in the same transaction, returns the id of a link. */
export async function createLinkUnless(
  deps: LinkDeps,
  actor: Actor,
  input: NewLink,
  lookUp: (tx: Tx) => Promise<string | undefined>,
): Promise<CreationOutcome> {
  const hashFor = { workspaceId: actor.workspaceId, signal: deps.signal };
  const draft = await draftLink(deps, input, (password) => passwordHashOf(password, hashFor));
  const isRandom = writtenKey(input) === undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact(deps.db, async (tx): Promise<CreationOutcome> => {
        const id = await lookUp(tx);
        if (id !== undefined) return { kind: "found", id };
        const domain = await chooseDomain(tx, deps, actor, input.domain);
        const key = chooseKey(input, domain, attempt);
        const placement = placeLink(await findTagsAndFolders(tx, actor.workspaceId, [input]), actor, unplaced, input);
        await requireRoom(tx, actor.workspaceId, "links");
        const now = deps.now();
        const link = newLink(deps, actor, draft, { domain, key, placement }, now);
        const reusing = await insertLinks(tx, actor, [link], now);
        // A random key must not be one that a printed code still points to.
        if (isRandom && reusing.length > 0) throw new KeyHeld(now);
        warnOfReuse(deps.warn, reusing);
        await checkTargets(tx, [link], deps.config.WAYPOST_URL);
        return { kind: "created", link: toLink(link) };
      });
    } catch (error) {
      // Repeats the whole transaction, because PostgreSQL ends it at the first violation.
      if (isRandom && isKeyTaken(error) && attempt < randomKeyAttemptsMax) continue;
      throw asConflict(error, input);
    }
  }
}
