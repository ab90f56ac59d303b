import type { Actor } from "../access/actor.ts";
import { refuseBlockedDomain } from "../access/blocks.ts";
import { lockWorkspace } from "../access/lock-workspace.ts";
import { requireRoom } from "../access/workspace-limits.ts";
import { invalid, Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { violatedIndex } from "../database/unique.ts";
import { normalizeSlug } from "./domain.ts";
import { flag, readSettings, type SettingsInput } from "./domain-settings.ts";
import { countDomains, type DomainRow, insertDomain, isProvenElsewhere } from "./domains.ts";

/** Domains that one workspace may have. */
const domainsMax = 1_000;

/** The fields of a new domain that a caller writes. */
type NewDomain = Omit<SettingsInput, "archived"> & {
  slug: string;
  /** True when keys that differ only in case are different links; fixed at creation. */
  caseSensitive?: boolean | undefined;
};

type Deps = { db: Db; now: () => number };

/**
 * Adds a pending domain and its root link to the actor's workspace. The domain is verified once its ownership record is
 * found. The workspace's first domain becomes primary.
 * Throws "unprocessable_entity" and names the field; "forbidden" for a blocked slug; "conflict" for a slug in use, and
 * beyond domainsMax.
 */
export async function createDomain({ db, now }: Deps, actor: Actor, input: NewDomain): Promise<DomainRow> {
  const slug = readSlug(input.slug);
  const settings = {
    ...readSettings({ ...input, archived: undefined }),
    caseSensitive: flag(input.caseSensitive === true),
  };
  return await asSlugConflict(slug, () =>
    transact(db, async (tx) => {
      await lockWorkspace(tx, actor.workspaceId);
      await refuseBlockedDomain(tx, slug);
      await refuseSlugInUse(tx, actor, slug);
      if ((await countDomains(tx, actor.workspaceId)) >= domainsMax) {
        throw new Problem(
          "conflict",
          `This workspace has ${domainsMax} domains, which is the limit; delete one first.`,
        );
      }
      await requireRoom(tx, actor.workspaceId, "domains");
      return await insertDomain(tx, actor, { slug, status: "pending", isInstance: 0 }, settings, now());
    }),
  );
}

/** The stored form of a domain's slug that a caller wrote. Throws "unprocessable_entity" with the reason. */
export function readSlug(text: string): string {
  const reading = normalizeSlug(text);
  if (reading.kind === "refused") throw invalid("slug", reading.reason);
  return reading.slug;
}

/** Throws "conflict" when another workspace has verified the slug; the message does not name it. */
export async function refuseSlugInUse(tx: Tx, actor: Actor, slug: string): Promise<void> {
  if (await isProvenElsewhere(tx, actor.workspaceId, slug)) {
    throw new Problem("conflict", `slug: the domain ${slug} is in use.`);
  }
}

/** Runs a write, and turns the error of a second domain with the same slug into "conflict". */
export async function asSlugConflict<Result>(slug: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (violatedIndex(error) !== "domainInWorkspace") throw error;
    throw new Problem("conflict", `slug: this workspace already has ${slug}.`, { cause: error });
  }
}
